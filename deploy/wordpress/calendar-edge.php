<?php
/**
 * Plugin Name: calendar-edge companion
 * Description: Refuses calls of the calendar's REST routes that did not pass calendar-edge.
 * Version: 0.1.0
 * Requires at least: 5.0
 * Requires PHP: 7.4
 * License: MIT OR Apache-2.0 (the MIT license is compatible with the GPL)
 *
 * Install: copy this file to wp-content/mu-plugins/ and define CALENDAR_EDGE_SECRET or
 * CALENDAR_EDGE_SECRET_FILE in wp-config.php. See docs/companion-plugin.md of calendar-edge.
 *
 * @package CalendarEdge
 */

namespace CalendarEdge;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

/**
 * The secret that the edge and this site share.
 */
final class Secret {

	/** The fewest bytes of a secret. */
	const SHORTEST = 32;

	/** @var string The secret; empty when it cannot be used. */
	private $bytes;

	/** @var string Why the secret cannot be used; empty when it can. */
	private $fault;

	private function __construct( string $bytes, string $fault ) {
		$this->bytes = $bytes;
		$this->fault = $fault;
	}

	/**
	 * Reads the secret from a constant, an environment variable or a file; null when none is configured.
	 */
	public static function configured(): ?self {
		$text = setting( 'CALENDAR_EDGE_SECRET' );
		if ( null !== $text ) {
			return self::of( $text );
		}
		$file = setting( 'CALENDAR_EDGE_SECRET_FILE' );
		return null === $file ? null : self::in_file( $file );
	}

	/**
	 * Takes a secret without the white space around it, as the edge does.
	 */
	public static function of( string $text ): self {
		$bytes = trim( $text, " \t\n\r\f" );
		if ( strlen( $bytes ) < self::SHORTEST ) {
			return new self( '', sprintf( 'The secret is shorter than %d characters.', self::SHORTEST ) );
		}
		return new self( $bytes, '' );
	}

	private static function in_file( string $file ): self {
		// phpcs:ignore WordPress.PHP.NoSilencedErrors.Discouraged -- The fault is reported in Site Health.
		$text = is_file( $file ) ? @file_get_contents( $file ) : false;
		return false === $text ? new self( '', 'The file of the secret cannot be read.' ) : self::of( $text );
	}

	public function fault(): string {
		return $this->fault;
	}

	/**
	 * HMAC-SHA256 of a message, in lower-case hexadecimal digits.
	 */
	public function sign( string $message ): string {
		return hash_hmac( 'sha256', $message, $this->bytes );
	}
}

/**
 * What the edge wrote into its header: a time, and a signature over the request.
 */
final class Mark {

	/** How many seconds the clocks of the edge and of this site may differ. */
	const SKEW = 60;

	/** @var string Seconds since 1970, as they were signed. */
	private $time;

	/** @var string */
	private $signature;

	private function __construct( string $time, string $signature ) {
		$this->time      = $time;
		$this->signature = $signature;
	}

	/**
	 * Reads the header's value; null when it is not of the one form that the edge writes.
	 */
	public static function parse( string $value ): ?self {
		$found = preg_match( '/\Av1 t=(0|[1-9][0-9]{0,11}),s=([0-9a-f]{64})\z/', $value, $parts );
		return 1 === $found ? new self( $parts[1], $parts[2] ) : null;
	}

	/**
	 * The value that the edge writes for a request.
	 */
	public static function write( Secret $secret, int $time, string $method, string $target, string $digest ): string {
		return "v1 t=$time,s=" . $secret->sign( self::message( (string) $time, $method, $target, $digest ) );
	}

	public function is_signed_by( Secret $secret, string $method, string $target, string $digest ): bool {
		$message = self::message( $this->time, $method, $target, $digest );
		return hash_equals( $secret->sign( $message ), $this->signature );
	}

	public function is_fresh( int $now ): bool {
		return abs( $now - (int) $this->time ) <= self::SKEW;
	}

	/**
	 * What is signed: every line but the target has a fixed alphabet, and the target holds no line feed.
	 */
	private static function message( string $time, string $method, string $target, string $digest ): string {
		// Caches turn HEAD into GET, which shows nothing more.
		$method = 'HEAD' === $method ? 'GET' : $method;
		return "calendar-edge mark v1\n$time\n$method\n$target\n$digest";
	}
}

/**
 * The HTTP request as PHP received it, before WordPress or a plugin changes the superglobals.
 */
final class Exchange {

	/** @var string The request target: path and query as they were sent. */
	private $target;

	/** @var string The value of the edge's header; empty without one. */
	private $mark;

	/** @var mixed The route that the query names; null without one. */
	private $query_route;

	/** @var bool Whether PHP read form variables or files from the body. */
	private $has_form;

	/** @var string|null */
	private $digest = null;

	public function __construct( array $server, array $query, array $form, array $files ) {
		$this->target      = self::text( $server, 'REQUEST_URI' );
		$this->mark        = self::text( $server, 'HTTP_X_CALENDAR_EDGE_MARK' );
		$this->query_route = $query['rest_route'] ?? null;
		$this->has_form    = array() !== $form || array() !== $files;
	}

	private static function text( array $server, string $name ): string {
		return isset( $server[ $name ] ) && is_string( $server[ $name ] ) ? $server[ $name ] : '';
	}

	public function target(): string {
		return $this->target;
	}

	public function mark(): string {
		return $this->mark;
	}

	/**
	 * SHA-256 of the body, in lower-case hexadecimal digits.
	 */
	public function digest(): string {
		if ( null === $this->digest ) {
			$this->digest = (string) hash_file( 'sha256', 'php://input' );
		}
		return $this->digest;
	}

	/**
	 * Whether PHP read a form: it may name a route, and of a multipart body nothing is left to be signed.
	 */
	public function has_form(): bool {
		return $this->has_form;
	}

	/**
	 * Whether the signed target names this route of a calendar namespace; without a form nothing else can.
	 */
	public function names_route( string $route, string $calendar ): bool {
		$in_path = $this->names_in_path( $calendar );
		if ( null === $this->query_route ) {
			return self::has_route( $in_path, $route );
		}
		// Where both name a route, both must name this one.
		return is_string( $this->query_route ) && self::has_route( array( $this->query_route ), $route )
			&& ( array() === $in_path || self::has_route( $in_path, $route ) );
	}

	/**
	 * The route in the path, as it was sent and decoded: WordPress takes it from REQUEST_URI or from PATH_INFO.
	 */
	private function names_in_path( string $calendar ): array {
		$path  = explode( '?', $this->target, 2 )[0];
		$start = stripos( $path, $calendar );
		if ( false === $start ) {
			return array();
		}
		$named = substr( $path, $start );
		return array( $named, rawurldecode( $named ) );
	}

	/**
	 * Whether one of these names is a route; WordPress may have put backslashes before its quotes.
	 */
	private static function has_route( array $names, string $route ): bool {
		foreach ( $names as $name ) {
			foreach ( array( $name, addslashes( $name ) ) as $spelling ) {
				if ( rtrim( $spelling, '/' ) === rtrim( $route, '/' ) ) {
					return true;
				}
			}
		}
		return false;
	}
}

/**
 * Refuses every dispatch of a calendar route that the edge did not mark, whatever led to it.
 */
final class Guard {

	const MISSING   = 'calendar_edge_mark_missing';
	const INVALID   = 'calendar_edge_mark_invalid';
	const EXPIRED   = 'calendar_edge_mark_expired';
	const ELSEWHERE = 'calendar_edge_mark_elsewhere';
	const UNUSABLE  = 'calendar_edge_secret_unusable';

	const MESSAGES = array(
		self::MISSING   => 'The calendar answers requests that pass calendar-edge only.',
		self::INVALID   => 'The mark of calendar-edge does not fit this request.',
		self::EXPIRED   => 'The mark of calendar-edge is too old or too new.',
		self::ELSEWHERE => 'The mark of calendar-edge is for another route.',
		self::UNUSABLE  => 'The calendar is closed: the secret shared with calendar-edge cannot be used.',
	);

	/** @var Secret */
	private $secret;

	/** @var Exchange */
	private $exchange;

	/** @var string[] Namespaces with a slash in front. */
	private $namespaces;

	public function __construct( Secret $secret, Exchange $exchange, array $namespaces ) {
		$this->secret     = $secret;
		$this->exchange   = $exchange;
		$this->namespaces = $namespaces;
	}

	/**
	 * Hooks in behind every other plugin, so that none of them can answer in the guard's place.
	 */
	public function register(): void {
		add_filter( 'rest_pre_dispatch', array( $this, 'before_dispatch' ), PHP_INT_MAX, 3 );
		add_filter( 'rest_request_before_callbacks', array( $this, 'before_callbacks' ), PHP_INT_MAX, 3 );
		add_filter( 'rest_endpoints', array( $this, 'without_batch' ), PHP_INT_MAX );
	}

	/**
	 * The first wall: before WordPress matches a route and validates its arguments.
	 *
	 * It answers with a response, because a batch cannot take an error here.
	 *
	 * @param mixed            $result  What other plugins answer instead.
	 * @param \WP_REST_Server  $server  The server.
	 * @param \WP_REST_Request $request The request.
	 * @return mixed
	 */
	public function before_dispatch( $result, $server, $request ) {
		$code = $this->objection( $request );
		if ( '' === $code ) {
			return $result;
		}
		$body = array(
			'code'    => $code,
			'message' => self::MESSAGES[ $code ],
			'data'    => array( 'status' => 403 ),
		);
		return new \WP_REST_Response( $body, 403, array( 'Cache-Control' => 'no-store' ) );
	}

	/**
	 * The second wall: a batch matches before the first one, and a plugin may change the route behind it.
	 *
	 * @param mixed            $result  What other plugins answer instead.
	 * @param array            $handler The matched endpoint.
	 * @param \WP_REST_Request $request The request.
	 * @return mixed
	 */
	public function before_callbacks( $result, $handler, $request ) {
		$code = $this->objection( $request );
		return '' === $code ? $result : new \WP_Error( $code, self::MESSAGES[ $code ], array( 'status' => 403 ) );
	}

	/**
	 * Takes calendar routes out of batches, which validate arguments before any wall.
	 *
	 * @param array $endpoints Endpoints by route.
	 * @return array
	 */
	public function without_batch( $endpoints ) {
		foreach ( $endpoints as $route => $handlers ) {
			if ( null === $this->calendar_of( (string) $route ) || ! is_array( $handlers ) ) {
				continue;
			}
			unset( $endpoints[ $route ]['allow_batch'] );
			foreach ( $handlers as $key => $handler ) {
				if ( is_array( $handler ) ) {
					unset( $endpoints[ $route ][ $key ]['allow_batch'] );
				}
			}
		}
		return $endpoints;
	}

	/**
	 * Why a request must not be dispatched; empty when it may.
	 *
	 * @param \WP_REST_Request $request The request.
	 */
	private function objection( $request ): string {
		$route    = (string) $request->get_route();
		$calendar = $this->calendar_of( $route );
		if ( null === $calendar || self::is_allowed_internally( $request ) ) {
			return '';
		}
		if ( '' !== $this->secret->fault() ) {
			return self::UNUSABLE;
		}
		if ( '' === $this->exchange->mark() ) {
			return self::MISSING;
		}
		$mark = Mark::parse( $this->exchange->mark() );
		if ( null === $mark || ! $this->is_signed( $mark, $request ) ) {
			return self::INVALID;
		}
		if ( ! $mark->is_fresh( time() ) ) {
			return self::EXPIRED;
		}
		return $this->exchange->names_route( $route, $calendar ) ? '' : self::ELSEWHERE;
	}

	/**
	 * Whether a mark was made for what is dispatched now. The edge sends no forms.
	 *
	 * @param Mark             $mark    The mark.
	 * @param \WP_REST_Request $request The request.
	 */
	private function is_signed( Mark $mark, $request ): bool {
		if ( $this->exchange->has_form() ) {
			return false;
		}
		// The method that WordPress dispatches is signed: overrides cannot change it.
		$method = (string) $request->get_method();
		return $mark->is_signed_by( $this->secret, $method, $this->exchange->target(), $this->exchange->digest() );
	}

	/**
	 * The calendar namespace that a route may belong to; WordPress matches routes without regard to case.
	 */
	private function calendar_of( string $route ): ?string {
		foreach ( $this->namespaces as $namespace ) {
			if ( 1 === preg_match( '~^/*' . preg_quote( $namespace, '~' ) . '(?![a-z0-9_-])~i', $route ) ) {
				return $namespace;
			}
		}
		return null;
	}

	/**
	 * Whether the site's own code vouches for a request that it makes while no client's REST request is served.
	 *
	 * @param \WP_REST_Request $request The request.
	 */
	private static function is_allowed_internally( $request ): bool {
		if ( defined( 'REST_REQUEST' ) && REST_REQUEST ) {
			return false;
		}
		/**
		 * Filters whether code of the site may call a calendar route with rest_do_request().
		 *
		 * @param bool             $allowed Whether it may; false by default.
		 * @param \WP_REST_Request $request The request.
		 */
		return true === apply_filters( 'calendar_edge_allow_internal', false, $request );
	}
}

/**
 * The line in Tools > Site Health that says whether the guard stands.
 */
final class Health {

	/** @var Secret|null */
	private $secret;

	public function __construct( ?Secret $secret ) {
		$this->secret = $secret;
	}

	public function register(): void {
		add_filter( 'site_status_tests', array( $this, 'with_test' ) );
	}

	/**
	 * @param array $tests Tests by kind and name.
	 * @return array
	 */
	public function with_test( $tests ) {
		$tests['direct']['calendar_edge_guard'] = array(
			'label' => 'calendar-edge',
			'test'  => array( $this, 'report' ),
		);
		return $tests;
	}

	public function report(): array {
		list( $status, $label, $description ) = $this->finding();
		return array(
			'label'       => $label,
			'status'      => $status,
			'badge'       => array(
				'label' => 'calendar-edge',
				'color' => 'blue',
			),
			'description' => '<p>' . esc_html( $description ) . '</p>',
			'actions'     => '',
			'test'        => 'calendar_edge_guard',
		);
	}

	private function finding(): array {
		if ( null === $this->secret ) {
			return array(
				'recommended',
				'calendar-edge does not guard the calendar',
				'No secret is configured. Define CALENDAR_EDGE_SECRET or CALENDAR_EDGE_SECRET_FILE in wp-config.php.',
			);
		}
		if ( '' !== $this->secret->fault() ) {
			return array(
				'critical',
				'calendar-edge closes the calendar',
				$this->secret->fault() . ' Every request to the calendar is refused until this is repaired.',
			);
		}
		return array(
			'good',
			'calendar-edge guards the calendar',
			'Requests to the calendar that did not pass calendar-edge are refused.',
		);
	}
}

/**
 * A constant, or an environment variable of the same name; null without either.
 */
function setting( string $name ): ?string {
	if ( defined( $name ) ) {
		return is_string( constant( $name ) ) ? constant( $name ) : '';
	}
	$value = getenv( $name );
	return is_string( $value ) && '' !== $value ? $value : null;
}

/**
 * The namespaces that are guarded, each with a slash in front: those of CALENDAR_EDGE_NAMESPACES, or the usual ones.
 */
function guarded_namespaces(): array {
	$names = array();
	foreach ( explode( ',', (string) setting( 'CALENDAR_EDGE_NAMESPACES' ) ) as $name ) {
		$name = trim( $name, " \t\n\r\f/" );
		if ( '' !== $name ) {
			$names[] = "/$name";
		}
	}
	return array() === $names ? array( '/tribe/events/v1', '/calendar/events/v1' ) : $names;
}

/**
 * Puts the guard up. The command line has no clients to guard against.
 */
function start(): void {
	$secret = Secret::configured();
	( new Health( $secret ) )->register();
	if ( null === $secret || 'cli' === PHP_SAPI ) {
		return;
	}
	// phpcs:ignore WordPress.Security.NonceVerification -- Nothing is done with these but to compare them.
	$exchange = new Exchange( $_SERVER, $_GET, $_POST, $_FILES );
	( new Guard( $secret, $exchange, guarded_namespaces() ) )->register();
}

start();
