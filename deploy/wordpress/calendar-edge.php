<?php
/**
 * Plugin Name: calendar-edge companion
 * Description: Refuses calls of the calendar's REST routes that did not pass calendar-edge, closes other routes, and reports changes to the edge.
 * Version: 0.10.0
 * Requires at least: 5.0
 * Requires PHP: 7.4
 * License: MIT OR Apache-2.0 (the MIT license is compatible with the GPL)
 *
 * Install: copy this file to wp-content/mu-plugins/ and define CALENDAR_EDGE_SECRET or
 * CALENDAR_EDGE_SECRET_FILE in wp-config.php. See docs/guides/companion-plugin.md of calendar-edge.
 *
 * @package CalendarEdge
 */

namespace CalendarEdge;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

/** The version of this plugin. */
const VERSION = '0.10.0';

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
 * The header of the edge: a time, and a signature over the request.
 */
final class Mark {

	/** The most seconds by which the clocks of the edge and of this site may differ. */
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
	 * Why the mark of an exchange does not cover this method; empty when it does. The edge sends no forms.
	 */
	public static function objection( Secret $secret, Exchange $exchange, string $method ): string {
		if ( '' === $exchange->mark() ) {
			return Guard::MISSING;
		}
		$mark = self::parse( $exchange->mark() );
		if ( null === $mark || $exchange->has_form() || ! $mark->is_signed_by( $secret, $method, $exchange->target(), $exchange->digest() ) ) {
			return Guard::INVALID;
		}
		return $mark->is_fresh( time() ) ? '' : Guard::EXPIRED;
	}

	/**
	 * The signed text: every line but the target has a fixed alphabet, and the target holds no line feed.
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
	 * True if PHP read a form: it may name a route, and of a multipart body nothing is left to be signed.
	 */
	public function has_form(): bool {
		return $this->has_form;
	}

	/**
	 * True if the signed target names this route of a calendar namespace; without a form nothing else can.
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
	 * The route in the path, as it was sent, decoded, and rewritten: WordPress takes it from REQUEST_URI or from PATH_INFO.
	 */
	private function names_in_path( string $calendar ): array {
		$path  = explode( '?', $this->target, 2 )[0];
		$start = stripos( $path, $calendar );
		if ( false === $start ) {
			return array();
		}
		$named = substr( $path, $start );
		return array( $named, rawurldecode( $named ), self::as_the_calendar_writes( $named ) );
	}

	/**
	 * The Events Calendar 6.15.18 and later write encoded letters in REQUEST_URI with small digits before WordPress reads it.
	 */
	private static function as_the_calendar_writes( string $named ): string {
		$small = static function ( array $found ): string {
			return strtolower( $found[0] );
		};
		return (string) preg_replace_callback( '/%[89a-f][0-9a-f]/i', $small, $named );
	}

	/**
	 * True if one of these names is a route; WordPress may have put backslashes before its quotes.
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
 * Decides before WordPress runs any code of a REST route, for every caller: a request, a batch, an embedded record.
 */
abstract class Wall {

	/**
	 * Why a request must not be dispatched, with the status as data; null when it may.
	 *
	 * @param \WP_REST_Request $request The request.
	 */
	abstract protected function objection( $request ): ?\WP_Error;

	/**
	 * Hooks in behind every other plugin, so that none of them can respond in the place of a refusal.
	 */
	public function register(): void {
		add_filter( 'rest_pre_dispatch', array( $this, 'before_dispatch' ), PHP_INT_MAX, 3 );
		add_filter( 'rest_request_before_callbacks', array( $this, 'before_callbacks' ), PHP_INT_MAX, 3 );
	}

	/**
	 * Before WordPress matches a route and validates its arguments.
	 *
	 * It returns a response, because a batch cannot take an error here.
	 *
	 * @param mixed            $result  The response of other plugins instead.
	 * @param \WP_REST_Server  $server  The server.
	 * @param \WP_REST_Request $request The request.
	 * @return mixed
	 */
	public function before_dispatch( $result, $server, $request ) {
		$refusal = $this->objection( $request );
		if ( null === $refusal ) {
			return $result;
		}
		$data = $refusal->get_error_data();
		$body = array(
			'code'    => $refusal->get_error_code(),
			'message' => $refusal->get_error_message(),
			'data'    => $data,
		);
		// A hidden route must look like one that does not exist.
		$headers = 404 === $data['status'] ? array() : array( 'Cache-Control' => 'no-store' );
		return new \WP_REST_Response( $body, $data['status'], $headers );
	}

	/**
	 * Before the callback: a plugin may have changed the route since, and a batch validates its entries before it runs
	 * them.
	 *
	 * @param mixed            $result  The response of other plugins instead.
	 * @param array            $handler The matched endpoint.
	 * @param \WP_REST_Request $request The request.
	 * @return mixed
	 */
	public function before_callbacks( $result, $handler, $request ) {
		$refusal = $this->objection( $request );
		if ( null === $refusal ) {
			$refusal = $this->objection_to_batch( $handler, $request );
			if ( null !== $refusal ) {
				// Only an error is heeded here, and it has no headers.
				rest_get_server()->send_header( 'Cache-Control', 'no-store' );
			}
		}
		return null === $refusal ? $result : $refusal;
	}

	/**
	 * Why a batch must not be served; null when it may, and for everything that is no batch.
	 *
	 * @param array            $handler The matched endpoint.
	 * @param \WP_REST_Request $request The request, of which WordPress has validated the list of entries.
	 */
	private function objection_to_batch( $handler, $request ): ?\WP_Error {
		if ( ! is_array( $handler['callback'] ) || 'serve_batch_request_v1' !== ( $handler['callback'][1] ?? '' ) ) {
			return null;
		}
		foreach ( (array) $request['requests'] as $entry ) {
			$parsed = wp_parse_url( $entry['path'] );
			if ( false === $parsed ) {
				// WordPress gives the entries behind this one the endpoints of their successors.
				return new \WP_Error( 'parse_path_failed', __( 'Could not parse the path.' ), array( 'status' => 400 ) ); // phpcs:ignore WordPress.WP.I18n.MissingArgDomain -- WordPress's own words.
			}
			$refusal = $this->objection( new \WP_REST_Request( $entry['method'] ?? 'POST', $parsed['path'] ?? '' ) );
			if ( null !== $refusal ) {
				return $refusal;
			}
		}
		return null;
	}

	/**
	 * True if WordPress serves a REST request of a client, and not one that the site's own code makes for a page.
	 */
	protected static function serves_client(): bool {
		return defined( 'REST_REQUEST' ) && REST_REQUEST;
	}
}

/**
 * Refuses every dispatch of a calendar route that the edge did not mark, whatever led to it.
 */
final class Guard extends Wall {

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

	protected function objection( $request ): ?\WP_Error {
		$code = $this->fault( $request );
		return '' === $code ? null : new \WP_Error( $code, self::MESSAGES[ $code ], array( 'status' => 403 ) );
	}

	/**
	 * The fault of a request for a calendar route; empty when it may be dispatched.
	 *
	 * @param \WP_REST_Request $request The request.
	 */
	private function fault( $request ): string {
		$route    = (string) $request->get_route();
		$calendar = namespace_of( $route, $this->namespaces );
		if ( null === $calendar || self::is_allowed_internally( $request ) ) {
			return '';
		}
		if ( '' !== $this->secret->fault() ) {
			return self::UNUSABLE;
		}
		// The method that WordPress dispatches is signed: overrides cannot change it.
		$objection = Mark::objection( $this->secret, $this->exchange, (string) $request->get_method() );
		if ( '' !== $objection ) {
			return $objection;
		}
		return $this->exchange->names_route( $route, $calendar ) ? '' : self::ELSEWHERE;
	}

	/**
	 * True if the site's own code vouches for a request that it makes while no client's REST request is served.
	 *
	 * @param \WP_REST_Request $request The request.
	 */
	private static function is_allowed_internally( $request ): bool {
		if ( self::serves_client() ) {
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
 * The number that a calendar service requests when it copies a record back that was written there.
 *
 * The account that copies may write scripts. The author of the record may not, so texts are filtered as those of
 * others.
 */
final class Copied {

	const TYPES = array(
		'events'     => 'tribe_events',
		'venues'     => 'tribe_venue',
		'organizers' => 'tribe_organizer',
		'categories' => 'tribe_events_cat',
		'tags'       => 'post_tag',
	);

	/** @var int */
	private $number;

	/** @var string The type of the new record; empty once it has its number. */
	private $type = '';

	private function __construct( int $number ) {
		$this->number = $number;
	}

	/**
	 * Reads the header's value, which is signed together with the mark of the request; null when it is not.
	 */
	public static function asked( Secret $secret, Exchange $exchange, string $value ): ?self {
		if ( 1 !== preg_match( '/\Av1 n=([1-9][0-9]{0,15}),s=([0-9a-f]{64})\z/', $value, $parts ) ) {
			return null;
		}
		$signature = $secret->sign( "calendar-edge number v1\n$parts[1]\n" . $exchange->mark() );
		return hash_equals( $signature, $parts[2] ) ? new self( (int) $parts[1] ) : null;
	}

	public function register(): void {
		add_filter( 'rest_request_before_callbacks', array( $this, 'before_callbacks' ), 10, 3 );
		add_filter( 'wp_insert_post_data', array( $this, 'number_post' ), PHP_INT_MAX, 2 );
		add_filter( 'wp_insert_term_data', array( $this, 'number_term' ), PHP_INT_MAX, 2 );
	}

	/**
	 * @param mixed            $result  The response of other plugins instead.
	 * @param array            $handler The matched endpoint.
	 * @param \WP_REST_Request $request The request.
	 * @return mixed
	 */
	public function before_callbacks( $result, $handler, $request ) {
		$route = $request->get_route();
		$space = namespace_of( $route, guarded_namespaces() );
		if ( null === $space || is_wp_error( $result ) ) {
			return $result;
		}
		kses_init_filters();
		$type = self::TYPES[ trim( substr( ltrim( $route, '/' ), strlen( $space ) - 1 ), '/' ) ] ?? '';
		if ( '' === $type || 'POST' !== $request->get_method() ) {
			return $result;
		}
		$is_taken = taxonomy_exists( $type ) ? null !== get_term( $this->number ) : null !== get_post( $this->number );
		if ( $is_taken ) {
			return new \WP_Error( 'calendar_edge_number_taken', 'Another record of the site has this number.', array( 'status' => 400 ) );
		}
		$this->type = $type;
		return $result;
	}

	/**
	 * @param array $data The row of a post.
	 * @param array $post What it is made of; it has an ID when it is no new one.
	 */
	public function number_post( $data, $post ) {
		return empty( $post['ID'] ) ? $this->numbered( $data, 'ID', $data['post_type'] ) : $data;
	}

	/**
	 * @param array  $data     The row of a new term.
	 * @param string $taxonomy Its taxonomy.
	 */
	public function number_term( $data, $taxonomy ) {
		return $this->numbered( $data, 'term_id', $taxonomy );
	}

	private function numbered( array $data, string $column, string $type ): array {
		if ( $type !== $this->type ) {
			return $data;
		}
		$this->type = '';
		return array( $column => $this->number ) + $data;
	}
}

/**
 * One rule of CALENDAR_EDGE_SURFACE: routes, and the callers that may use them.
 */
final class SurfaceRule {

	const CALLERS = array( 'anybody', 'credentials', 'nobody' );
	const METHODS = array( 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS' );

	/** @var string The rule as it was written. */
	public $text;

	/** @var string One of CALLERS. */
	private $callers;

	/** @var string[] Some of METHODS; empty for all. */
	private $methods;

	/** @var string[] The segments of the pattern. */
	private $pattern;

	/** @var bool True if a refusal claims that the route does not exist. */
	private $hides;

	/**
	 * Reads `CALLERS [METHODS] PATTERN [not_found]`; null when the text is of another form.
	 */
	public static function parse( string $text ): ?self {
		$words         = preg_split( '/\s+/', $text, -1, PREG_SPLIT_NO_EMPTY );
		$rule          = new self();
		$rule->text    = implode( ' ', $words );
		$rule->callers = (string) array_shift( $words );
		$rule->hides   = 'not_found' === end( $words );
		if ( $rule->hides ) {
			array_pop( $words );
		}
		$pattern       = self::canonical( (string) array_pop( $words ) );
		$rule->pattern = explode( '/', $pattern );
		$rule->methods = $words;
		$is_rule       = in_array( $rule->callers, self::CALLERS, true ) && array() === array_diff( $words, self::METHODS )
			&& 1 === preg_match( '~\A(?:\*|[\w.-]+)(?:/(?:\*|[\w.-]+))*\z~', $pattern );
		return $is_rule ? $rule : null;
	}

	/**
	 * A route in one spelling: WordPress matches routes without regard to case, and lets a line feed follow them.
	 */
	public static function canonical( string $route ): string {
		return strtolower( trim( (string) preg_replace( '~/+~', '/', $route ), "/ \t\n\r\0\x0B" ) );
	}

	/**
	 * @param string $method The method that WordPress dispatches.
	 * @param string $route  A canonical route.
	 */
	public function covers( string $method, string $route ): bool {
		$segments = array_map(
			static function ( string $segment ): string {
				return '*' === $segment ? '[^/]+' : preg_quote( $segment, '~' );
			},
			$this->pattern
		);
		if ( '*' === end( $this->pattern ) ) {
			$segments[ count( $segments ) - 1 ] = '.+';
		}
		// WordPress serves HEAD as GET.
		return ( array() === $this->methods || in_array( 'HEAD' === $method ? 'GET' : $method, $this->methods, true ) )
			&& 1 === preg_match( '~\A' . implode( '/', $segments ) . '\z~s', $route );
	}

	/**
	 * A request that the rule covers.
	 */
	public function example(): \WP_REST_Request {
		return new \WP_REST_Request( $this->methods[0] ?? 'GET', '/' . str_replace( '*', 'x', implode( '/', $this->pattern ) ) );
	}

	/**
	 * The refusal of a request of the current user, in WordPress's own words; null when the rule lets it pass.
	 *
	 * @param \WP_REST_Request $request The request.
	 */
	public function refusal( $request ): ?\WP_Error {
		// Before a browser sends credentials to another site it sends a request without them.
		$has_credentials = is_user_logged_in() || 'OPTIONS' === $request->get_method() && null !== $request->get_header( 'access-control-request-method' );
		if ( 'anybody' === $this->callers || 'credentials' === $this->callers && $has_credentials ) {
			return null;
		}
		// phpcs:disable WordPress.WP.I18n.MissingArgDomain -- WordPress has translated these sentences.
		return $this->hides
			? new \WP_Error( 'rest_no_route', __( 'No route was found matching the URL and request method.' ), array( 'status' => 404 ) )
			: new \WP_Error( 'rest_forbidden', __( 'Sorry, you are not allowed to do that.' ), array( 'status' => rest_authorization_required_code() ) );
		// phpcs:enable
	}
}

/**
 * Closes routes outside of the calendar by the rules of CALENDAR_EDGE_SURFACE; the first one that covers a request decides.
 */
final class Surface extends Wall {

	/** @var SurfaceRule[] */
	private $rules = array();

	/** @var string[] What was written where a rule should be. */
	private $unread = array();

	/** @var string[] Namespaces, each with a slash in front, that are guarded by marks. */
	private $guarded;

	/** @var bool Whether requests of the site itself are refused as well. */
	private $is_trial = false;

	public function __construct( string $list, array $guarded ) {
		$this->guarded = $guarded;
		foreach ( array_filter( array_map( 'trim', preg_split( '/[,\r\n]/', $list ) ) ) as $text ) {
			$rule = SurfaceRule::parse( $text );
			if ( null === $rule ) {
				$this->unread[] = $text;
			} else {
				$this->rules[] = $rule;
			}
		}
	}

	protected function objection( $request ): ?\WP_Error {
		$rule = $this->is_trial || self::serves_client() ? $this->rule_for( $request ) : null;
		return null === $rule ? null : $rule->refusal( $request );
	}

	/**
	 * @param \WP_REST_Request $request The request.
	 */
	private function rule_for( $request ): ?SurfaceRule {
		$route = SurfaceRule::canonical( (string) $request->get_route() );
		if ( null !== namespace_of( "/$route", $this->guarded ) ) {
			return null;
		}
		foreach ( $this->rules as $rule ) {
			if ( $rule->covers( (string) $request->get_method(), $route ) ) {
				return $rule;
			}
		}
		return null;
	}

	public function count(): int {
		return count( $this->rules );
	}

	/**
	 * @return string[]
	 */
	public function unread(): array {
		return $this->unread;
	}

	/**
	 * The rules that do not hold against an anonymous client, because a plugin responds behind them or unhooked them.
	 *
	 * @return string[]
	 */
	public function failing(): array {
		$user = get_current_user_id();
		wp_set_current_user( 0 );
		$this->is_trial = true;
		$failing        = array();
		foreach ( $this->rules as $rule ) {
			$request = $rule->example();
			if ( $rule !== $this->rule_for( $request ) || null === $rule->refusal( $request ) ) {
				continue;
			}
			$answer = apply_filters( 'rest_pre_dispatch', null, rest_get_server(), $request );
			if ( ! $answer instanceof \WP_REST_Response || $answer->get_data()['code'] !== $rule->refusal( $request )->get_error_code() ) {
				$failing[] = $rule->text;
			}
		}
		$this->is_trial = false;
		wp_set_current_user( $user );
		return $failing;
	}
}

/**
 * A change: tags of the edge's stored responses, or everything, and the numbers of the changes.
 */
final class Changes {

	/** The most tags in one message; beyond them everything has changed. */
	const MOST_TAGS = 500;

	/** The most numbers in one message; beyond them everything has changed. */
	const MOST_NUMBERS = 64;

	/** @var array<string, bool> True if no client could read the record without an account, before and after every change. */
	private $tags = array();

	/** @var bool */
	private $all = false;

	/** @var array<int, true> */
	private $numbers = array();

	/**
	 * Reads what `kept` wrote; whatever it cannot read has changed everything.
	 *
	 * @param mixed $kept The value of an option.
	 */
	public static function from( $kept ): self {
		$changes = new self();
		if ( ! is_array( $kept ) || ! isset( $kept['tags'], $kept['numbers'] ) || ! is_array( $kept['tags'] ) || ! is_array( $kept['numbers'] ) ) {
			$changes->add_all();
			return $changes;
		}
		$hidden = array_filter( (array) ( $kept['hidden'] ?? array() ), 'is_string' );
		$changes->add( array_filter( $kept['tags'], 'is_string' ), $hidden );
		if ( ! empty( $kept['all'] ) ) {
			$changes->add_all();
		}
		foreach ( array_filter( $kept['numbers'], 'is_int' ) as $number ) {
			$changes->count( $number );
		}
		return $changes;
	}

	public function kept(): array {
		return array(
			'all'     => $this->all,
			'tags'    => array_keys( $this->tags ),
			'hidden'  => $this->hidden(),
			'numbers' => array_keys( $this->numbers ),
		);
	}

	public function is_empty(): bool {
		return ! $this->all && array() === $this->tags;
	}

	/**
	 * @param string[] $tags   Tags such as `event:50` or `events`.
	 * @param string[] $hidden Those of them whose record no client could read without an account, neither before nor after.
	 */
	public function add( array $tags, array $hidden = array() ): void {
		if ( $this->all ) {
			return;
		}
		$hidden = array_flip( $hidden );
		foreach ( $tags as $tag ) {
			$this->tags[ $tag ] = isset( $hidden[ $tag ] ) && ( $this->tags[ $tag ] ?? true );
		}
		if ( count( $this->tags ) > self::MOST_TAGS ) {
			$this->add_all();
		}
	}

	public function add_all(): void {
		$this->all  = true;
		$this->tags = array();
	}

	/**
	 * Adds the number of a change; zero is none.
	 */
	public function count( int $number ): void {
		if ( $number <= 0 ) {
			return;
		}
		$this->numbers[ $number ] = true;
		ksort( $this->numbers );
		if ( count( $this->numbers ) > self::MOST_NUMBERS ) {
			$this->add_all();
		}
		if ( $this->all ) {
			// It stands for every number up to the highest.
			$this->numbers = array( max( array_keys( $this->numbers ) ) => true );
		}
	}

	public function merge( self $other ): void {
		$this->add( array_map( 'strval', array_keys( $other->tags ) ), $other->hidden() );
		if ( $other->all ) {
			$this->add_all();
		}
		foreach ( array_keys( $other->numbers ) as $number ) {
			$this->count( $number );
		}
	}

	/**
	 * The body of the message about the change.
	 *
	 * @param string $to   The URL that it is sent to.
	 * @param string $site The address of the home page.
	 */
	public function message( string $to, string $site ): string {
		$what            = array(
			'version' => 2,
			'to'      => $to,
			'site'    => $site,
		);
		$what           += $this->all ? array( 'all' => true ) : array( 'tags' => array_keys( $this->tags ) );
		$what['changes'] = array_keys( $this->numbers );
		if ( array() !== $this->hidden() ) {
			$what['hidden'] = $this->hidden();
		}
		return (string) wp_json_encode( $what );
	}

	/**
	 * @return string[] The tags of records that no client could read without an account, before and after every change.
	 */
	private function hidden(): array {
		return array_map( 'strval', array_keys( array_filter( $this->tags ) ) );
	}
}

/**
 * The number of changes so far, in the database of this site.
 */
final class Counter {

	const OPTION = 'calendar_edge_changes';

	/**
	 * Counts one change and returns its number; zero when it cannot be counted.
	 */
	public static function next(): int {
		global $wpdb;
		// One statement, so that two requests never get the same number; no cache of options takes part.
		$count = $wpdb->prepare( "UPDATE $wpdb->options SET option_value = LAST_INSERT_ID(option_value + 1) WHERE option_name = %s", self::OPTION );
		if ( ! $wpdb->query( $count ) ) {
			$begin = "INSERT IGNORE INTO $wpdb->options (option_name, option_value, autoload) VALUES (%s, '0', 'no')";
			$wpdb->query( $wpdb->prepare( $begin, self::OPTION ) );
			if ( ! $wpdb->query( $count ) ) {
				return 0;
			}
		}
		return (int) $wpdb->get_var( 'SELECT LAST_INSERT_ID()' );
	}

	public static function current(): int {
		global $wpdb;
		$read = "SELECT option_value FROM $wpdb->options WHERE option_name = %s";
		return (int) $wpdb->get_var( $wpdb->prepare( $read, self::OPTION ) );
	}
}

/**
 * A change that this run of PHP has begun and not finished, as a row in the database of one site.
 *
 * A run that is killed leaves its row, by which edges see that something may have changed. Times are those of the database.
 */
final class BegunChange {

	const PREFIX = 'calendar_edge_begun_';

	/** Seconds after which a run that changes more begins anew. */
	const RENEWED = 10;

	/** Seconds after which a row counts as a change: longer than a statement waits for a lock. */
	const LONGEST = 60;

	/** @var string The table of options. */
	private $table;

	/** @var string The name of the row. */
	private $row;

	/** @var float When the row was written last, by the clock of PHP. */
	private $written = 0.0;

	/**
	 * A change of the site at hand.
	 */
	public function __construct() {
		global $wpdb;
		$this->table = $wpdb->options;
		$this->row   = self::PREFIX . bin2hex( random_bytes( 8 ) );
	}

	/**
	 * Notes that something is about to be stored.
	 */
	public function note(): void {
		global $wpdb;
		if ( microtime( true ) - $this->written < self::RENEWED ) {
			return;
		}
		// This comes between statements of other code, which may still read the results of theirs.
		$said  = array( $wpdb->insert_id, $wpdb->rows_affected );
		$write = "INSERT INTO $this->table (option_name, option_value, autoload) VALUES (%s, UNIX_TIMESTAMP(), 'no') ON DUPLICATE KEY UPDATE option_value = VALUES(option_value)";
		$wpdb->query( $wpdb->prepare( $write, $this->row ) );
		list( $wpdb->insert_id, $wpdb->rows_affected ) = $said;
		$this->written = microtime( true );
	}

	/**
	 * The change has a number, or there was none.
	 */
	public function finish(): void {
		global $wpdb;
		$wpdb->query( $wpdb->prepare( "DELETE FROM $this->table WHERE option_name = %s", $this->row ) );
	}

	/**
	 * The age in seconds of the oldest change that is begun and not finished; null when all are finished.
	 *
	 * A change that no run can finish any more gets a number: edges without a message about it remove everything.
	 */
	public static function age(): ?int {
		global $wpdb;
		$named = $wpdb->esc_like( self::PREFIX ) . '%';
		$read  = $wpdb->prepare( "SELECT UNIX_TIMESTAMP() - MIN(option_value + 0) FROM $wpdb->options WHERE option_name LIKE %s", $named );
		$age   = $wpdb->get_var( $read );
		if ( null !== $age && (int) $age >= self::LONGEST ) {
			Counter::next();
			$lost = "DELETE FROM $wpdb->options WHERE option_name LIKE %s AND option_value + 0 <= UNIX_TIMESTAMP() - %d";
			$wpdb->query( $wpdb->prepare( $lost, $named, self::LONGEST ) );
			$age = $wpdb->get_var( $read );
		}
		return null === $age ? null : max( 0, (int) $age );
	}
}

/**
 * One edge: a URL that messages are posted to. `all:` before it means an edge at every address of the name.
 */
final class Edge {

	const ALL = 'all:';

	/** @var string The URL as configured; for one of several edges, with its address behind a space. */
	public $url;

	/** @var bool Whether every address of the name is an edge. */
	private $all = false;

	/** @var string The address to connect to; empty while DNS has to be queried for it. */
	private $address = '';

	/** @var string The name or the address of a host. */
	private $name = '';

	/** @var int */
	private $port = 0;

	/** @var string The name in the certificate; empty without TLS. */
	public $tls_name;

	/** @var string The value of Host. */
	public $host;

	/** @var string */
	public $target;

	/**
	 * Reads `http://…`, `https://…`, either behind `all:`, or `unix:/path/of/a/socket`; null when it is none of them.
	 */
	public static function at( string $url ): ?self {
		$edge      = new self();
		$edge->url = $url;
		if ( 0 === strpos( $url, 'unix:/' ) ) {
			list( $edge->address, $edge->tls_name, $edge->host, $edge->target ) = array( 'unix://' . substr( $url, 5 ), '', 'localhost', '/purge' );
			return $edge;
		}
		$edge->all = 0 === strpos( $url, self::ALL );

		$parts  = parse_url( $edge->all ? substr( $url, strlen( self::ALL ) ) : $url );
		$scheme = strtolower( $parts['scheme'] ?? '' );
		if ( ! isset( $parts['host'] ) || ! in_array( $scheme, array( 'http', 'https' ), true ) ) {
			return null;
		}
		$edge->name     = $parts['host'];
		$edge->port     = $parts['port'] ?? ( 'https' === $scheme ? 443 : 80 );
		$edge->host     = $parts['host'] . ( isset( $parts['port'] ) ? ":$edge->port" : '' );
		$edge->tls_name = 'https' === $scheme ? trim( $parts['host'], '[]' ) : '';
		$edge->target   = ( $parts['path'] ?? '/purge' ) . ( isset( $parts['query'] ) ? '?' . $parts['query'] : '' );
		return $edge;
	}

	/**
	 * The address to connect to, for stream_socket_client. It queries DNS, so only a message may need it.
	 */
	public function address(): string {
		// A name can have several addresses, and only the first one is tried: prefer that of IPv4.
		return '' !== $this->address ? $this->address : 'tcp://' . gethostbyname( $this->name ) . ":$this->port";
	}

	/**
	 * The edges that the URL stands for now. For `all:` it queries DNS, so only a message may need it.
	 *
	 * @return self[] Of a name without an address, this one.
	 */
	public function each(): array {
		if ( ! $this->all ) {
			return array( $this );
		}
		$found = gethostbynamel( $this->name );
		if ( ! is_array( $found ) || array() === $found ) {
			return array( $this->at_address( $this->url, $this->name ) );
		}
		$edges = array();
		foreach ( array_unique( $found ) as $address ) {
			$edges[] = $this->at_address( "$this->url $address", $address );
		}
		return $edges;
	}

	private function at_address( string $url, string $address ): self {
		$edge          = clone $this;
		$edge->url     = $url;
		$edge->address = "tcp://$address:$this->port";
		return $edge;
	}

	/**
	 * The URL in the configuration that one of several edges has its URL from.
	 */
	public static function configured_url( string $url ): string {
		return explode( ' ', $url, 2 )[0];
	}

	/**
	 * The edges of CALENDAR_EDGE_URLS.
	 *
	 * @return self[]
	 */
	public static function configured(): array {
		$edges = array();
		foreach ( preg_split( '/[\s,]+/', (string) setting( 'CALENDAR_EDGE_URLS' ), -1, PREG_SPLIT_NO_EMPTY ) as $url ) {
			$edges[ $url ] = self::at( $url );
		}
		return array_values( array_filter( $edges ) );
	}

	/**
	 * The header that proves the sender of a message, and its content.
	 */
	public static function seal( Secret $secret, int $time, string $nonce, string $body, string $subject = 'purge' ): string {
		$digest = hash( 'sha256', $body );
		return "v1 t=$time,n=$nonce,d=$digest,s=" . $secret->sign( "calendar-edge $subject v1\n$time\n$nonce\n$digest" );
	}

	/**
	 * The bytes of the request that brings a message. It names its receiver and its site: it is worth nothing elsewhere.
	 */
	public function request( Secret $secret, Changes $changes ): string {
		$scheme = '' === $this->tls_name ? 'http' : 'https';
		$body   = $changes->message( "$scheme://$this->host$this->target", (string) get_option( 'home' ) );
		$seal = self::seal( $secret, time(), bin2hex( random_bytes( 16 ) ), $body );
		$head = array(
			"POST $this->target HTTP/1.1",
			"Host: $this->host",
			'User-Agent: calendar-edge-companion',
			'Content-Type: application/json',
			'Content-Length: ' . strlen( $body ),
			"X-Calendar-Edge-Purge: $seal",
			'Connection: close',
		);
		return implode( "\r\n", $head ) . "\r\n\r\n$body";
	}
}

/**
 * One message on its way to one edge; it never blocks.
 */
final class Delivery {

	/** @var resource|false */
	private $socket;

	/** @var bool Whether TLS still has to be agreed on. */
	private $shakes;

	/** @var string What is still to be sent. */
	private $left;

	/** @var string What came back. */
	private $answer = '';

	/** @var bool */
	private $ended = false;

	public function __construct( Edge $edge, string $request ) {
		$tls          = array(
			'peer_name'   => $edge->tls_name,
			'SNI_enabled' => true,
		);
		$this->left   = $request;
		$this->shakes = '' !== $edge->tls_name;
		$flags        = STREAM_CLIENT_CONNECT | STREAM_CLIENT_ASYNC_CONNECT;
		// phpcs:ignore WordPress.PHP.NoSilencedErrors.Discouraged -- An edge that is away is no fault of this request.
		$this->socket = @stream_socket_client( $edge->address(), $code, $text, 1, $flags, stream_context_create( array( 'ssl' => $tls ) ) );
		if ( false === $this->socket ) {
			$this->ended = true;
			return;
		}
		stream_set_blocking( $this->socket, false );
	}

	public function has_ended(): bool {
		return $this->ended;
	}

	public function has_arrived(): bool {
		// 409: it arrived before.
		return 1 === preg_match( '~\AHTTP/1\.[01] (200|409) ~', $this->answer );
	}

	/**
	 * @return resource
	 */
	public function socket() {
		return $this->socket;
	}

	public function writes(): bool {
		return $this->shakes || '' !== $this->left;
	}

	/**
	 * Does what can be done now.
	 */
	public function step(): void {
		if ( $this->shakes && ! $this->shake() ) {
			return;
		}
		if ( '' !== $this->left ) {
			// phpcs:ignore WordPress.PHP.NoSilencedErrors.Discouraged
			$sent = @fwrite( $this->socket, $this->left );
			if ( false === $sent || ( 0 === $sent && feof( $this->socket ) ) ) {
				$this->end();
				return;
			}
			$this->left = (string) substr( $this->left, $sent );
			return;
		}
		// phpcs:ignore WordPress.PHP.NoSilencedErrors.Discouraged
		$read          = @fread( $this->socket, 1024 );
		$this->answer .= (string) $read;
		if ( strlen( $this->answer ) > 12 || false === $read || feof( $this->socket ) ) {
			$this->end();
		}
	}

	/**
	 * Goes on with TLS; true when it stands.
	 */
	private function shake(): bool {
		// phpcs:ignore WordPress.PHP.NoSilencedErrors.Discouraged
		$stands = @stream_socket_enable_crypto( $this->socket, true, STREAM_CRYPTO_METHOD_TLS_CLIENT );
		if ( false === $stands ) {
			$this->end();
		}
		$this->shakes = true !== $stands;
		return true === $stands;
	}

	public function end(): void {
		if ( false !== $this->socket ) {
			fclose( $this->socket );
		}
		$this->socket = false;
		$this->ended  = true;
	}
}

/**
 * Brings messages to all edges at the same time, and keeps what did not arrive for the next message.
 */
final class Courier {

	/** Messages that did not arrive, by URL. */
	const OPTION = 'calendar_edge_unsent';

	/** Seconds for which an edge that did not respond in time is left alone while a client waits. */
	const REST = 10;

	/** @var Secret */
	private $secret;

	/** @var Edge[] */
	private $edges;

	/**
	 * @param Secret $secret The secret.
	 * @param Edge[] $edges  All edges.
	 */
	public function __construct( Secret $secret, array $edges ) {
		$this->secret = $secret;
		$this->edges  = $edges;
	}

	/**
	 * Sends to every edge, for at most so many seconds.
	 */
	public function tell( Changes $changes, float $seconds, bool $is_awaited ): void {
		$before  = self::unsent();
		$resting = $is_awaited ? self::resting( $before ) : array();
		$edges   = $this->edges_now( $resting );
		$owed    = array();
		foreach ( $edges as $url => $edge ) {
			$owed[ $url ] = new Changes();
			$owed[ $url ]->merge( $changes );
			foreach ( array_unique( array( Edge::configured_url( $url ), $url ) ) as $name ) {
				if ( isset( $before[ $name ] ) ) {
					$owed[ $url ]->merge( Changes::from( $before[ $name ] ) );
				}
			}
		}
		list( $arrived, $slow ) = $this->send( array_diff_key( $edges, $resting ), $owed, $seconds );
		if ( array() !== $before || count( $arrived ) < count( $owed ) ) {
			self::under_lock(
				function () use ( $before, $owed, $arrived, $slow ) {
					self::keep( self::left( $before, array_diff_key( $owed, $arrived ), $slow ) );
				}
			);
		}
	}

	/**
	 * The edges that there are now, by URL.
	 *
	 * @param array $resting The URLs that are left alone: their names are not looked up.
	 * @return Edge[]
	 */
	private function edges_now( array $resting ): array {
		$edges = array();
		foreach ( $this->edges as $edge ) {
			foreach ( isset( $resting[ $edge->url ] ) ? array( $edge ) : $edge->each() as $one ) {
				$edges[ $one->url ] = $one;
			}
		}
		return $edges;
	}

	/**
	 * Messages that did not arrive, by URL.
	 */
	public static function unsent(): array {
		global $wpdb;
		// Read past the caches of options: other requests write it too.
		$kept = $wpdb->get_var( $wpdb->prepare( "SELECT option_value FROM $wpdb->options WHERE option_name = %s", self::OPTION ) );
		$kept = json_decode( (string) $kept, true );
		return is_array( $kept ) ? $kept : array();
	}

	/**
	 * The messages to keep, with those that other requests kept in the meantime.
	 *
	 * @param array     $before The messages kept before.
	 * @param Changes[] $missed The messages that did not arrive, by URL.
	 * @param array     $slow   The URLs among them that did not respond in time.
	 */
	private static function left( array $before, array $missed, array $slow ): array {
		$kept = self::unsent();
		foreach ( $kept as $url => $since ) {
			// Received now or gone, unless another request added to it, or its name has no address at the moment.
			if ( ! isset( $missed[ $url ] ) && ! isset( $missed[ Edge::configured_url( $url ) ] ) && ( $before[ $url ] ?? null ) === $since ) {
				unset( $kept[ $url ] );
			}
		}
		foreach ( $missed as $url => $all ) {
			if ( isset( $kept[ $url ] ) ) {
				$all->merge( Changes::from( $kept[ $url ] ) );
			}
			$since        = isset( $slow[ $url ] ) ? time() : (int) ( $kept[ $url ]['since'] ?? 0 );
			$kept[ $url ] = $all->kept() + array( 'since' => $since );
		}
		return $kept;
	}

	private static function keep( array $kept ): void {
		global $wpdb;
		if ( array() === $kept ) {
			$wpdb->query( $wpdb->prepare( "DELETE FROM $wpdb->options WHERE option_name = %s", self::OPTION ) );
			return;
		}
		$write = "INSERT INTO $wpdb->options (option_name, option_value, autoload) VALUES (%s, %s, 'no') ON DUPLICATE KEY UPDATE option_value = VALUES(option_value)";
		$wpdb->query( $wpdb->prepare( $write, self::OPTION, wp_json_encode( $kept ) ) );
	}

	/**
	 * Reads and writes what is kept in one piece. Without the lock the counter still shows edges what they missed.
	 */
	private static function under_lock( callable $change ): void {
		global $wpdb;
		$name = substr( 'calendar-edge-' . md5( DB_NAME . $wpdb->options ), 0, 64 );
		$wpdb->get_var( $wpdb->prepare( 'SELECT GET_LOCK(%s, 1)', $name ) );
		$change();
		$wpdb->get_var( $wpdb->prepare( 'SELECT RELEASE_LOCK(%s)', $name ) );
	}

	/**
	 * The URLs of edges that a client must not wait for.
	 */
	private static function resting( array $unsent ): array {
		return array_filter(
			$unsent,
			function ( $kept ) {
				return abs( time() - (int) ( $kept['since'] ?? 0 ) ) < self::REST;
			}
		);
	}

	/**
	 * The URLs that a message arrived at, and those that did not respond in time.
	 *
	 * @param Edge[]    $edges   The edges, by URL.
	 * @param Changes[] $owed    The changes to send to each URL.
	 * @param float     $seconds The time for all.
	 */
	private function send( array $edges, array $owed, float $seconds ): array {
		$deliveries = array();
		$unnamed    = array();
		foreach ( $edges as $url => $edge ) {
			$begun              = microtime( true );
			$deliveries[ $url ] = new Delivery( $edge, $edge->request( $this->secret, $owed[ $url ] ) );
			if ( microtime( true ) - $begun > $seconds ) {
				$unnamed[ $url ] = true;
			}
		}
		$end   = microtime( true ) + $seconds;
		$going = $deliveries;
		while ( array() !== $going && microtime( true ) < $end ) {
			$going = self::step( $going, $end - microtime( true ) );
		}
		foreach ( $going as $late ) {
			$late->end();
		}
		$arrived = array_filter(
			$deliveries,
			function ( $delivery ) {
				return $delivery->has_arrived();
			}
		);
		return array( $arrived, $going + array_diff_key( $unnamed, $arrived ) );
	}

	/**
	 * Waits until something can be done, does it, and returns what goes on.
	 *
	 * @param Delivery[] $going   Deliveries by URL.
	 * @param float      $seconds The longest time to wait.
	 */
	private static function step( array $going, float $seconds ): array {
		$reads  = array();
		$writes = array();
		foreach ( $going as $url => $delivery ) {
			if ( $delivery->has_ended() ) {
				unset( $going[ $url ] );
				continue;
			}
			$reads[ $url ] = $delivery->socket();
			if ( $delivery->writes() ) {
				$writes[ $url ] = $delivery->socket();
			}
		}
		if ( array() === $going ) {
			return $going;
		}
		$none = null;
		// TLS shows too little of its waits to sleep for long.
		$micros = (int) max( 0, min( $seconds, 0.05 ) * 1e6 );
		if ( false === stream_select( $reads, $writes, $none, 0, $micros ) ) {
			return array();
		}
		foreach ( array_keys( $reads + $writes ) as $url ) {
			$going[ $url ]->step();
		}
		return $going;
	}
}

/**
 * Receives changes.
 */
interface Listener {

	/**
	 * @param string[] $tags   Tags that change.
	 * @param string[] $hidden Those of them whose record no client could read without an account, neither before nor
	 * after.
	 */
	public function changed( array $tags, array $hidden = array() ): void;

	/**
	 * Anything may change.
	 */
	public function changed_all(): void;
}

/**
 * Collects the changes of one run of PHP, and sends them to the edges when it ends.
 */
final class Reporter implements Listener {

	/** Seconds after which a run that takes long sends its changes so far. */
	const SOON = 1.0;

	/** Seconds for all edges: while a client waits for the response, and when none does. */
	const AWAITED   = 1.0;
	const UNAWAITED = 4.0;

	/** @var Courier */
	private $courier;

	/** @var Changes[] Everything that changed in this run, by site. */
	private $told = array();

	/** @var Changes[] What changed since the last message, by site. */
	private $fresh = array();

	/** @var BegunChange[] What is begun and not finished, by site. */
	private $begun = array();

	/** @var float When the first change since the last message was collected. */
	private $since = 0.0;

	/** @var bool Whether a message is on its way. */
	private $busy = false;

	/** @var bool Whether the run has ended. */
	private $over = false;

	public function __construct( Courier $courier ) {
		$this->courier = $courier;
	}

	public function register(): void {
		add_action( 'shutdown', array( $this, 'finish' ), PHP_INT_MAX );
		if ( self::is_unawaited() ) {
			// Between two jobs, and before a request that may take long.
			add_action( 'update_option_cron', array( $this, 'pause' ), PHP_INT_MAX, 0 );
			add_filter( 'pre_http_request', array( $this, 'pause' ), PHP_INT_MAX );
		}
	}

	/**
	 * Sends the changes so far.
	 *
	 * @param mixed $value The value that a filter passes through.
	 * @return mixed
	 */
	public function pause( $value = null ) {
		if ( array() !== $this->fresh && ! $this->busy ) {
			$this->tell_so_far();
			$this->end();
		}
		return $value;
	}

	/**
	 * Something is about to be stored: it counts from now on, whatever becomes of this run.
	 */
	public function begins(): void {
		if ( $this->busy ) {
			return;
		}
		$site = get_current_blog_id();
		if ( ! isset( $this->begun[ $site ] ) ) {
			$this->begun[ $site ] = new BegunChange();
		}
		$this->begun[ $site ]->note();
		if ( $this->over ) {
			// Something changes behind the end of the run; PHP runs this function last.
			$this->over = false;
			register_shutdown_function( array( $this, 'finish' ) );
		}
	}

	/**
	 * @param string[] $tags   Tags that changed.
	 * @param string[] $hidden Those of them whose record no client could read without an account, neither before nor
	 * after.
	 */
	public function changed( array $tags, array $hidden = array() ): void {
		$this->begins();
		$this->fresh()->add( $tags, $hidden );
		$this->collected();
	}

	public function changed_all(): void {
		$this->begins();
		$this->fresh()->add_all();
		$this->collected();
	}

	/**
	 * The end of the run: sends everything, after the client has its response where that can be.
	 */
	public function finish(): void {
		$this->over = true;
		if ( array() === $this->fresh && array() === $this->told ) {
			$this->end();
			return;
		}
		foreach ( $this->told as $site => $changes ) {
			// Sent once more: data written behind a hook is in the database by now.
			$this->fresh( $site )->merge( $changes );
		}
		$this->told = array();
		ignore_user_abort( true );
		$this->tell( self::let_go() );
		$this->end();
	}

	/**
	 * Nothing is begun any more.
	 */
	private function end(): void {
		foreach ( $this->begun as $begun ) {
			$begun->finish();
		}
		$this->begun = array();
	}

	private function fresh( ?int $site = null ): Changes {
		$site = $site ?? get_current_blog_id();
		if ( ! isset( $this->fresh[ $site ] ) ) {
			$this->fresh[ $site ] = new Changes();
		}
		return $this->fresh[ $site ];
	}

	private function collected(): void {
		if ( $this->busy ) {
			return;
		}
		$now = microtime( true );
		if ( 0.0 === $this->since ) {
			$this->since = $now;
		} elseif ( $now - $this->since > self::SOON ) {
			$this->tell_so_far();
		}
	}

	private function tell_so_far(): void {
		foreach ( $this->fresh as $site => $changes ) {
			$this->told[ $site ] = $this->told[ $site ] ?? new Changes();
			$this->told[ $site ]->merge( $changes );
		}
		$this->tell( ! self::is_unawaited() );
	}

	/**
	 * True if no client waits for this run: a program, or WordPress's own jobs.
	 */
	private static function is_unawaited(): bool {
		return 'cli' === PHP_SAPI || wp_doing_cron();
	}

	private function tell( bool $is_awaited ): void {
		$this->busy  = true;
		$fresh       = $this->fresh;
		$this->fresh = array();
		$this->since = 0.0;
		foreach ( $fresh as $site => $changes ) {
			$elsewhere = get_current_blog_id() !== $site && function_exists( 'switch_to_blog' );
			if ( $elsewhere ) {
				switch_to_blog( $site );
			}
			$changes->count( Counter::next() );
			if ( $this->over && isset( $this->begun[ $site ] ) ) {
				// The number shows it from now on, and the message may take its time.
				$this->begun[ $site ]->finish();
				unset( $this->begun[ $site ] );
			}
			$this->courier->tell( $changes, $is_awaited ? self::AWAITED : self::UNAWAITED, $is_awaited );
			if ( $elsewhere ) {
				restore_current_blog();
			}
		}
		$this->busy = false;
	}

	/**
	 * Sends the client its response, where PHP can do so before it ends. True if a client still waits.
	 */
	private static function let_go(): bool {
		foreach ( array( 'fastcgi_finish_request', 'litespeed_finish_request' ) as $finish ) {
			if ( function_exists( $finish ) ) {
				$finish();
				return false;
			}
		}
		return ! self::is_unawaited();
	}
}

/**
 * Takes whatever is named for something that is about to be stored.
 */
final class Foresight implements Listener {

	/** @var Reporter */
	private $reporter;

	public function __construct( Reporter $reporter ) {
		$this->reporter = $reporter;
	}

	public function changed( array $tags, array $hidden = array() ): void {
		$this->reporter->begins();
	}

	public function changed_all(): void {
		$this->reporter->begins();
	}
}

/**
 * Listens to what WordPress fires before it stores something.
 */
final class Outset {

	/** @var Watch Knows what matters. */
	private $watch;

	public function __construct( Reporter $reporter ) {
		$this->watch = new Watch( new Foresight( $reporter ) );
	}

	public function register(): void {
		// First of all, because other plugins may take long, or never come back.
		$listen = function ( string $hook, callable $hears, int $arguments ) {
			add_action( $hook, $hears, -PHP_INT_MAX, $arguments );
		};
		// Last of all, because other plugins change what is stored.
		add_filter( 'wp_insert_post_data', array( $this, 'with_post' ), PHP_INT_MAX, 2 );
		add_filter( 'wp_insert_attachment_data', array( $this, 'with_post' ), PHP_INT_MAX, 2 );
		$listen( 'before_delete_post', array( $this->watch, 'post_cleaned' ), 1 );
		$listen( 'delete_attachment', array( $this->watch, 'post_cleaned' ), 1 );
		foreach ( array( 'update', 'delete' ) as $change ) {
			$listen( "{$change}_post_meta", array( $this->watch, 'post_meta_changed' ), 3 );
			$listen( "{$change}_term_meta", array( $this->watch, 'term_meta_changed' ), 2 );
			$listen( "{$change}_option", array( $this->watch, 'option_changed' ), 3 );
		}
		$listen( 'add_post_meta', array( $this, 'post_meta_comes' ), 2 );
		$listen( 'add_term_meta', array( $this, 'term_meta_comes' ), 1 );
		$listen( 'add_option', array( $this->watch, 'option_changed' ), 2 );
		$listen( 'add_term_relationship', array( $this->watch, 'relation_changed' ), 3 );
		$listen( 'delete_term_relationships', array( $this->watch, 'relation_changed' ), 3 );
		$listen( 'edit_terms', array( $this, 'term_changes' ), 2 );
		$listen( 'pre_delete_term', array( $this, 'term_changes' ), 2 );
		$listen( 'edit_term_taxonomy', array( $this->watch, 'term_counted' ), 2 );
		$listen( 'edit_term_taxonomies', array( $this->watch, 'terms_moved' ), 1 );
		foreach ( array( 'activate_plugin', 'deactivate_plugin', 'import_start' ) as $hook ) {
			$listen( $hook, array( $this->watch, 'all_changed' ), 0 );
		}
		// Some functions store without a word before; these are fired next.
		$listen( 'transition_post_status', array( $this->watch, 'status_changed' ), 3 );
		$listen( 'clean_post_cache', array( $this->watch, 'post_cleaned' ), 2 );
	}

	/**
	 * @param array $data   The columns that are about to be stored.
	 * @param array $fields The requested fields, with the number of a post that there is.
	 */
	public function with_post( $data, $fields ) {
		$old  = empty( $fields['ID'] ) ? null : get_post( (int) $fields['ID'] );
		$post = $old instanceof \WP_Post ? $old : new \WP_Post( (object) ( array( 'ID' => 0 ) + (array) $data ) );
		$from = $old instanceof \WP_Post ? $old->post_status : 'new';
		$this->watch->status_changed( (string) ( $data['post_status'] ?? '' ), $from, $post );
		return $data;
	}

	/**
	 * @param int    $id  The post.
	 * @param string $key The name of the meta.
	 */
	public function post_meta_comes( $id, $key ): void {
		$this->watch->post_meta_changed( 0, $id, $key );
	}

	/**
	 * @param int $id The term.
	 */
	public function term_meta_comes( $id ): void {
		$this->watch->term_meta_changed( 0, $id );
	}

	/**
	 * @param int    $id       The term.
	 * @param string $taxonomy The taxonomy.
	 */
	public function term_changes( $id, $taxonomy ): void {
		$this->watch->term_changed( $id, 0, (string) $taxonomy );
	}
}

/**
 * Names the records of the calendar that WordPress's hooks report as changed.
 */
final class Watch {

	/** Post types: the tag of one record, and that of their lists. */
	const POSTS = array(
		'tribe_events'    => array( 'event', 'events' ),
		'tribe_venue'     => array( 'venue', 'venues' ),
		'tribe_organizer' => array( 'organizer', 'organizers' ),
	);

	/** Post types whose content is shown within that of others. */
	const BLOCKS = array( 'wp_block', 'wp_navigation', 'wp_template_part' );

	/** Meta of an attachment that is shown where content shows the attachment. */
	const IMAGE_META = array( '_wp_attached_file', '_wp_attachment_metadata', '_wp_attachment_image_alt' );

	/** Taxonomies, in the same way. */
	const TERMS = array(
		'tribe_events_cat' => array( 'category', 'categories' ),
		'post_tag'         => array( 'tag', 'tags' ),
	);

	/** Meta that no response shows, and that WordPress or counters of views write all the time. */
	const SILENT_META = array(
		'_edit_lock',
		'_edit_last',
		'_wp_old_slug',
		'_wp_old_date',
		'_wp_trash_meta_status',
		'_wp_trash_meta_time',
		'_wp_desired_post_slug',
		'_pingme',
		'_encloseme',
		'post_views_count',
		'_post_views',
		'views',
		'_views',
		'wpb_post_views_count',
	);

	/** Options that may change any response. */
	const OPTIONS = array(
		'tribe_events_calendar_options',
		'timezone_string',
		'gmt_offset',
		'permalink_structure',
		'category_base',
		'tag_base',
		'home',
		'siteurl',
		'WPLANG',
		'date_format',
		'time_format',
		'start_of_week',
		'posts_per_page',
		'show_on_front',
		'page_on_front',
		'upload_path',
		'upload_url_path',
		'blog_charset',
		'use_smilies',
		'show_avatars',
		'avatar_default',
		'avatar_rating',
		'thumbnail_size_w',
		'thumbnail_size_h',
		'thumbnail_crop',
		'medium_size_w',
		'medium_size_h',
		'medium_large_size_w',
		'medium_large_size_h',
		'large_size_w',
		'large_size_h',
		'active_plugins',
		'active_sitewide_plugins',
		'template',
		'stylesheet',
	);

	/** Entries of the calendar's options that it keeps books in. */
	const BOOKS = array(
		'earliest_date',
		'latest_date',
		'earliest_date_markers',
		'latest_date_markers',
		'latest_ecp_version',
		'previous_ecp_versions',
		'last-update-message-the-events-calendar',
	);

	/** @var Listener */
	private $listener;

	/** @var bool Whether WordPress is about to store a new attachment. */
	private $uploads = false;

	/** @var array<int, true> The attachments that this run has made, which nothing showed before. */
	private $uploaded = array();

	/** @var array<int, string|null> The counts of terms before they are counted anew, by their numbers in the taxonomy. */
	private $counts = array();

	public function __construct( Listener $listener ) {
		$this->listener = $listener;
	}

	public function register(): void {
		// Last of all, because other plugins write more on the same hooks.
		$listen = function ( string $hook, string $method, int $arguments ) {
			add_action( $hook, array( $this, $method ), PHP_INT_MAX, $arguments );
		};
		$listen( 'transition_post_status', 'status_changed', 3 );
		$listen( 'clean_post_cache', 'post_cleaned', 2 );
		$listen( 'post_updated', 'post_updated', 3 );
		$listen( 'wp_insert_attachment_data', 'with_upload', 2 );
		$listen( 'deleted_post', 'post_cleaned', 2 );
		$listen( 'tec_events_custom_tables_v1_after_save_occurrences', 'post_cleaned', 1 );
		foreach ( array( 'added', 'updated', 'deleted' ) as $change ) {
			$listen( "{$change}_post_meta", 'post_meta_changed', 4 );
			$listen( "{$change}_term_meta", 'term_meta_changed', 3 );
			$listen( "{$change}_option", 'option_changed', 3 );
		}
		$listen( 'set_object_terms', 'terms_set', 4 );
		$listen( 'added_term_relationship', 'relation_changed', 3 );
		$listen( 'deleted_term_relationships', 'relation_changed', 3 );
		$listen( 'created_term', 'term_changed', 3 );
		$listen( 'edited_term', 'term_changed', 3 );
		$listen( 'delete_term', 'term_changed', 3 );
		$listen( 'edit_term_taxonomy', 'term_counts', 2 );
		$listen( 'edited_term_taxonomy', 'term_counted', 2 );
		$listen( 'edited_term_taxonomies', 'terms_moved', 1 );
		$listen( 'update_site_option', 'option_changed', 3 );
		foreach ( array( 'activated_plugin', 'deactivated_plugin', 'switch_theme', 'upgrader_process_complete', 'permalink_structure_changed', 'import_end' ) as $hook ) {
			$listen( $hook, 'all_changed', 0 );
		}
		$listen( 'calendar_edge_changed', 'code_changed', 1 );
	}

	/**
	 * A change that code of the site reports: tags, or nothing for everything.
	 *
	 * @param mixed $tags Tags such as `event:50` or `events`.
	 */
	public function code_changed( $tags = array() ): void {
		$tags = is_array( $tags ) ? array_filter( $tags, 'is_string' ) : array();
		if ( array() === $tags ) {
			$this->all_changed();
		} else {
			$this->listener->changed( $tags );
		}
	}

	public function all_changed(): void {
		$this->listener->changed_all();
	}

	/**
	 * @param string   $to   The new status.
	 * @param string   $from The old status.
	 * @param \WP_Post $post The post.
	 */
	public function status_changed( $to, $from, $post ): void {
		$this->post_changed( $post, array( (string) $to, (string) $from ) );
		$linked = array( 'tribe_venue', 'tribe_organizer', 'attachment' );
		if ( $to !== $from && in_array( $post->post_type, $linked, true ) && ! in_array( $from, array( 'new', 'auto-draft' ), true ) ) {
			// Events that show it from now on do not name it yet.
			$this->listener->changed( array( 'relations' ) );
		}
	}

	/**
	 * @param int           $id   Its number.
	 * @param \WP_Post|null $post The post as it was.
	 */
	public function post_cleaned( $id, $post = null ): void {
		$now = get_post( $id );
		if ( $now instanceof \WP_Post ) {
			$this->post_changed( $now, array( $now->post_status ) );
		}
		if ( $post instanceof \WP_Post ) {
			$this->post_changed( $post, array( $post->post_status ) );
		}
	}

	/**
	 * @param int      $id     Its number.
	 * @param \WP_Post $after  The post as it is.
	 * @param \WP_Post $before The post as it was, perhaps without a password.
	 */
	public function post_updated( $id, $after, $before ): void {
		$this->post_cleaned( $id, $before );
	}

	public static function silent_meta(): array {
		/**
		 * Filters the names of post meta that no response of the calendar shows.
		 *
		 * @param string[] $keys Names of post meta.
		 */
		return (array) apply_filters( 'calendar_edge_silent_meta', self::SILENT_META );
	}

	/**
	 * @param mixed  $meta_ids Unused.
	 * @param int    $id       The post; zero where all posts lose it.
	 * @param string $key      The name of the meta.
	 * @param mixed  $value    The new value, or the one that is gone.
	 */
	public function post_meta_changed( $meta_ids, $id, $key, $value = null ): void {
		if ( in_array( $key, self::silent_meta(), true ) ) {
			return;
		}
		if ( empty( $id ) ) {
			if ( 0 !== strpos( $key, '_menu_item' ) ) {
				$this->listener->changed_all();
			}
			return;
		}
		$post = get_post( $id );
		if ( ! $post instanceof \WP_Post ) {
			return;
		}
		if ( 'tribe_events' === $post->post_type && in_array( $key, array( '_EventVenueID', '_EventOrganizerID' ), true ) ) {
			$this->shown_changed( array( $value ) );
		}
		if ( 'attachment' === $post->post_type && ! in_array( $key, self::IMAGE_META, true ) ) {
			$this->listener->changed( array( "image:$post->ID" ) );
			return;
		}
		$this->post_changed( $post, array( $post->post_status ) );
	}

	/**
	 * @param array $data   The columns that are about to be stored.
	 * @param array $fields The requested fields, with the number of an attachment that there is.
	 */
	public function with_upload( $data, $fields ) {
		$this->uploads = empty( $fields['ID'] );
		return $data;
	}

	/**
	 * @param int    $id       The object.
	 * @param mixed  $terms    Unused.
	 * @param mixed  $tt_ids   Unused.
	 * @param string $taxonomy The taxonomy.
	 */
	public function terms_set( $id, $terms, $tt_ids, $taxonomy ): void {
		$this->relation_changed( $id, $tt_ids, $taxonomy );
	}

	/**
	 * @param int    $id       The object.
	 * @param mixed  $tt_ids   Unused.
	 * @param string $taxonomy The taxonomy.
	 */
	public function relation_changed( $id, $tt_ids, $taxonomy ): void {
		$post = isset( self::TERMS[ $taxonomy ] ) ? get_post( $id ) : null;
		if ( $post instanceof \WP_Post ) {
			$this->post_changed( $post, array( $post->post_status ) );
		}
	}

	/**
	 * @param int    $id       The term.
	 * @param mixed  $tt_id    Unused.
	 * @param string $taxonomy The taxonomy.
	 */
	public function term_changed( $id, $tt_id, $taxonomy ): void {
		if ( isset( self::TERMS[ $taxonomy ] ) ) {
			list( $one, $list ) = self::TERMS[ $taxonomy ];
			$this->listener->changed( array( "$one:" . (int) $id, $list ) );
		}
	}

	/**
	 * @param int    $tt_id    The term's number in its taxonomy.
	 * @param string $taxonomy The taxonomy; in WordPress before 6.1 an object.
	 */
	public function term_counts( $tt_id, $taxonomy ): void {
		if ( self::has_terms( $taxonomy ) ) {
			$this->counts[ (int) $tt_id ] = self::count_of( (int) $tt_id );
		}
	}

	/**
	 * True if terms of a taxonomy are records of the calendar.
	 *
	 * @param mixed $taxonomy The taxonomy; in WordPress before 6.1 an object.
	 */
	private static function has_terms( $taxonomy ): bool {
		return isset( self::TERMS[ is_object( $taxonomy ) ? $taxonomy->name : (string) $taxonomy ] );
	}

	private static function count_of( int $tt_id ): ?string {
		global $wpdb;
		return $wpdb->get_var( $wpdb->prepare( "SELECT count FROM $wpdb->term_taxonomy WHERE term_taxonomy_id = %d", $tt_id ) );
	}

	/**
	 * @param int    $tt_id    The term's number in its taxonomy.
	 * @param string $taxonomy The taxonomy; in WordPress before 6.1 an object.
	 */
	public function term_counted( $tt_id, $taxonomy ): void {
		if ( ! self::has_terms( $taxonomy ) ) {
			return;
		}
		if ( isset( $this->counts[ (int) $tt_id ] ) && self::count_of( (int) $tt_id ) === $this->counts[ (int) $tt_id ] ) {
			// WordPress counts anew for a draft as well, which changes nothing.
			return;
		}
		$this->terms_moved( array( $tt_id ) );
	}

	/**
	 * @param int[] $tt_ids Numbers of terms in their taxonomies.
	 */
	public function terms_moved( $tt_ids ): void {
		foreach ( (array) $tt_ids as $tt_id ) {
			$term = get_term_by( 'term_taxonomy_id', (int) $tt_id );
			if ( $term instanceof \WP_Term ) {
				$this->term_changed( $term->term_id, $tt_id, $term->taxonomy );
			}
		}
	}

	/**
	 * @param mixed $meta_ids Unused.
	 * @param int   $id       The term.
	 */
	public function term_meta_changed( $meta_ids, $id ): void {
		$term = get_term( $id );
		if ( $term instanceof \WP_Term ) {
			$this->term_changed( $term->term_id, 0, $term->taxonomy );
		}
	}

	/**
	 * @param string $name The option.
	 * @param mixed  $one  A value: the old one, the new one or none.
	 * @param mixed  $two  The new value, or none.
	 */
	public function option_changed( $name, $one = null, $two = null ): void {
		if ( 'rewrite_rules' === $name && null !== $one ) {
			// Edges read addresses by them, and read them anew with the categories.
			$this->listener->changed( array( 'categories' ) );
		}
		/**
		 * Filters the options that may change any response of the calendar.
		 *
		 * @param string[] $options Names of options.
		 */
		if ( ! in_array( $name, (array) apply_filters( 'calendar_edge_options', self::OPTIONS ), true ) ) {
			return;
		}
		$books = array_flip( self::BOOKS );
		if ( is_array( $one ) && is_array( $two ) && array_diff_key( $one, $books ) === array_diff_key( $two, $books ) ) {
			return;
		}
		$this->listener->changed_all();
	}

	/**
	 * @param \WP_Post $post     The post.
	 * @param string[] $statuses The statuses that it has and had.
	 */
	private function post_changed( $post, array $statuses ): void {
		$id = (int) $post->ID;
		if ( 'attachment' === $post->post_type ) {
			$this->attachment_changed( $post );
			return;
		}
		if ( 'wp_template' === $post->post_type && is_user_logged_in() ) {
			// Pages may be made of other templates now. For readers, The Events Calendar stores one with every page.
			$this->listener->changed( array( 'categories' ) );
		}
		/**
		 * Filters the post types whose content may be shown within that of any event, venue or organizer.
		 *
		 * @param string[] $types Post types.
		 */
		$is_block = in_array( $post->post_type, (array) apply_filters( 'calendar_edge_blocks', self::BLOCKS ), true );
		$matters  = self::can_matter( $post->post_type, $statuses );
		if ( $is_block && $matters ) {
			$this->listener->changed_all();
		}
		if ( $is_block || ! isset( self::POSTS[ $post->post_type ] ) ) {
			return;
		}
		list( $one, $list ) = self::POSTS[ $post->post_type ];
		$hidden             = self::is_hidden( $post, $statuses ) ? array( "$one:$id" ) : array();
		// Any client can distinguish a number that is taken from one that is not, and by the records that a draft is linked
		// to.
		$this->listener->changed( $matters ? array( "$one:$id", $list ) : array( "$one:$id" ), $hidden );
		if ( $matters && 'tribe_events' === $post->post_type ) {
			$this->shown_changed( array_merge( (array) get_post_meta( $id, '_EventVenueID' ), (array) get_post_meta( $id, '_EventOrganizerID' ) ) );
		}
	}

	/**
	 * A venue or organizer that is not public is reported to edges only while an event shows it.
	 *
	 * @param array $ids Numbers of posts, as meta has them.
	 */
	private function shown_changed( array $ids ): void {
		foreach ( array_filter( $ids, 'is_numeric' ) as $id ) {
			$post = (int) $id > 0 ? get_post( (int) $id ) : null;
			if ( $post instanceof \WP_Post && isset( self::POSTS[ $post->post_type ] ) && 'publish' !== $post->post_status ) {
				$tags = array( self::POSTS[ $post->post_type ][0] . ":$post->ID" );
				$this->listener->changed( $tags, $tags );
			}
		}
	}

	/**
	 * Galleries show captions and texts of attachments, and content their sizes: no response names those that it shows.
	 *
	 * @param \WP_Post $post The attachment.
	 */
	private function attachment_changed( $post ): void {
		$id = (int) $post->ID;
		if ( $this->uploads ) {
			$this->uploads         = false;
			$this->uploaded[ $id ] = true;
		}
		if ( ! isset( $this->uploaded[ $id ] ) ) {
			$this->listener->changed_all();
			return;
		}
		$this->listener->changed( array( "image:$id" ) );
		// A gallery may show whatever was uploaded for its post.
		$parent = $post->post_parent > 0 ? get_post( $post->post_parent ) : null;
		if ( $parent instanceof \WP_Post && 'attachment' !== $parent->post_type ) {
			$this->post_changed( $parent, array( $parent->post_status ) );
		}
	}

	/**
	 * True if surely no client can read a post without an account in any of these statuses.
	 *
	 * @param \WP_Post $post     The post.
	 * @param string[] $statuses The statuses that it has and had.
	 */
	private static function is_hidden( $post, array $statuses ): bool {
		foreach ( empty( $post->post_password ) ? $statuses : array() as $status ) {
			if ( self::is_public( $status ) ) {
				return false;
			}
		}
		return true;
	}

	/**
	 * True if anonymous readers may see a post of a status. They may see one of a status that is not registered.
	 *
	 * @param string $status The status.
	 */
	private static function is_public( string $status ): bool {
		$known = get_post_status_object( $status );
		return null === $known ? 'new' !== $status : (bool) $known->public;
	}

	/**
	 * True if anonymous readers see a post of one of these statuses. An event may show a venue that is no longer public.
	 *
	 * @param string   $type     The post type.
	 * @param string[] $statuses The statuses that a post has and had.
	 */
	private static function can_matter( string $type, array $statuses ): bool {
		foreach ( $statuses as $status ) {
			if ( self::is_public( $status ) ) {
				return true;
			}
			if ( in_array( $type, array( 'tribe_venue', 'tribe_organizer' ), true ) && ! in_array( $status, array( 'new', 'auto-draft' ), true ) ) {
				return true;
			}
		}
		return false;
	}
}

/**
 * Shows the edge the number of changes in REST responses to its marked requests, and in response to a request for the
 * number alone.
 */
final class Announcer {

	const CHANGES = 'X-Calendar-Edge-Changes';
	const BEGUN   = 'X-Calendar-Edge-Begun';
	const SITE    = 'X-Calendar-Edge-Site';
	const ROUTE   = '/calendar-edge/v1/changes';

	/** @var Secret */
	private $secret;

	/** @var Exchange */
	private $exchange;

	/** @var array<string, int> Headers by name. */
	private $count = array();

	public function __construct( Secret $secret, Exchange $exchange ) {
		$this->secret   = $secret;
		$this->exchange = $exchange;
	}

	public function register(): void {
		if ( '' !== $this->exchange->mark() ) {
			add_action( 'rest_api_init', array( $this, 'note' ), -PHP_INT_MAX, 0 );
			add_filter( 'rest_pre_serve_request', array( $this, 'show' ), -PHP_INT_MAX, 4 );
		}
	}

	/**
	 * Reads the count before anything that the response shows is read: the response is at least as new.
	 */
	public function note(): void {
		$this->count = self::count();
	}

	/**
	 * Sends the headers. They are no part of the response, which WordPress writes into envelopes and batches.
	 *
	 * @param mixed            $served   What the filter passes through.
	 * @param mixed            $response Unused.
	 * @param \WP_REST_Request $request  The request.
	 * @param \WP_REST_Server  $server   The server.
	 * @return mixed
	 */
	public function show( $served, $response, $request, $server ) {
		if ( '' === Mark::objection( $this->secret, $this->exchange, (string) $request->get_method() ) ) {
			foreach ( $this->count as $name => $value ) {
				$server->send_header( $name, (string) $value );
			}
		}
		return $served;
	}

	/**
	 * The number of changes; and the age in seconds of the oldest one that is begun, if any is.
	 *
	 * @return array<string, int>
	 */
	private static function count(): array {
		// In this order: what is finished between the two has its number.
		$age = BegunChange::age();
		return array( self::CHANGES => Counter::current() ) + ( null === $age ? array() : array( self::BEGUN => $age ) );
	}

	/**
	 * Responds to an edge that requests the number alone, before WordPress loads other plugins.
	 */
	public static function answer( Secret $secret, Exchange $exchange, string $method ): void {
		if ( ! asks( $secret, $exchange, $method, self::ROUTE ) ) {
			return;
		}
		header( 'Content-Type: application/json; charset=UTF-8' );
		header( 'Cache-Control: no-store' );
		$count = self::count();
		header( self::SITE . ': ' . get_option( 'home' ) );
		foreach ( $count as $name => $value ) {
			header( "$name: $value" );
		}
		echo wp_json_encode( array( 'changes' => $count[ self::CHANGES ] ) );
		exit;
	}
}

/**
 * Reports to an edge which calendar pages can have events: the times of each event that a view may show, and the
 * reading of addresses.
 */
final class Facts {

	const ROUTE = '/calendar-edge/v1/facts';

	/** The most events in one reply. */
	const MOST = 500;

	/** An event whose times cannot be read may be on every page. */
	const EVER = array( '0000-01-01 00:00:00', '9999-12-31 23:59:59' );

	/** Hooks that can change what a calendar page shows, or which page an address leads to. */
	const HOOKS = '/\A(?:posts_(?:(?:where|join|clauses)(?:_paged|_request)?|pre_query|request|results)|the_posts|post_limits|found_posts|request|do_parse_request
		|tec_events_seo_\w+|tec_events_\w*block_template\w*|tec_events_default_view|tribe_events_views|tec_events_custom_tables_v1_\w*(?:query|occurrence)\w*
		|(?:tribe|tec)_events_views_v2_\w*(?:repository|context|by_day_view|bootstrap|template|cached_html|visible_views|default_view|request|stack|events_per_day|latest_past)\w*
		|tribe_(?:context|repository_events|query_is|events?_query|(?:event_)?(?:beginning|end)_of_day)\w*)\z/x';

	/**
	 * Responds to an edge, once every plugin has hooked in and before WordPress looks for a page.
	 */
	public static function listen( Secret $secret, Exchange $exchange, string $method ): void {
		if ( ! asks( $secret, $exchange, $method, self::ROUTE ) ) {
			return;
		}
		// In this order: a change while plugins are loaded has a greater number.
		$changes = Counter::current();
		$answer  = static function () use ( $secret, $exchange, $changes ) {
			parse_str( explode( '?', $exchange->target(), 2 )[1] ?? '', $query );
			$query = array_filter( $query, 'is_string' );
			$nonce = (string) current( preg_grep( '/\A[0-9a-f]{32}\z/', array( $query['nonce'] ?? '' ) ) );
			$known = '' !== $nonce && class_exists( 'Tribe\Events\Views\V2\Manager' );
			$body  = $known ? (string) wp_json_encode( self::reply( $query, $changes ) ) : '{}';
			http_response_code( $known ? 200 : 404 );
			header( 'Content-Type: application/json; charset=UTF-8' );
			header( 'Cache-Control: no-store' );
			header( 'X-Calendar-Edge-Facts: ' . Edge::seal( $secret, time(), $nonce, $body, 'facts' ) );
			exit( $body ); // phpcs:ignore WordPress.Security.EscapeOutput -- JSON.
		};
		add_action( 'wp_loaded', $answer, PHP_INT_MAX, 0 );
	}

	private static function reply( array $query, int $changes ): array {
		// In this order: a change in between leads to other sums.
		$reply = array( 'facts' => 1, 'changes' => $changes, 'sums' => '' );
		$site  = self::site();
		$from  = self::sources();
		foreach ( $from as list( $columns, $tables ) ) {
			$reply['sums'] .= implode( '.', self::read( "SELECT COUNT(*), SUM(CRC32(CONCAT_WS('|', $columns))) $tables" )[0] ) . ':';
		}
		$reply['sums'] .= md5( (string) wp_json_encode( array( $site, wp_timezone_string(), \Tribe__Timezones::is_mode( 'site' ) ) ) );
		$walks  = isset( $query['after'] );
		$ids    = implode( ',', array_map( 'intval', explode( ',', $query['ids'] ?? '' ) ) );
		$most   = min( self::MOST, max( 1, (int) ( $query['most'] ?? self::MOST ) ) );
		$where  = $walks ? 'p.ID > ' . (int) $query['after'] : "p.ID IN ($ids)";
		if ( isset( $query['names'] ) ) {
			$reply['sums'] .= ':' . Records::sum();
			$reply         += Records::page( $where, $walks, $most );
			$where         .= isset( $reply['next'] ) ? ' AND p.ID <= ' . $reply['next'] : '';
			$site['terms']  = Records::with_sums( $site['terms'] );
		}
		$found  = self::read( "SELECT {$from[0][0]} {$from[0][1]} AND $where ORDER BY p.ID LIMIT " . ( $most + 1 ) );
		$events = self::events( $from, array_slice( $found, 0, $most ) );
		$reply += array( 'events' => $events, 'next' => $walks && count( $found ) > $most ? end( $events )['id'] : null );
		return $reply + ( isset( $query['site'] ) ? array( 'site' => $site ) : array() );
	}

	/** Columns and tables of events, their terms, their times in meta and in rows, as far as a view may show them. */
	private static function sources(): array {
		global $wpdb;
		$statuses = implode( "','", esc_sql( get_post_stati( array( 'public' => true ) ) ) );
		// The plugin keeps its list for a day: an event that is missing there is shown, whatever its meta contains.
		$hidden = implode( ',', array_map( 'intval', tribe( 'Tribe\Events\Views\V2\Query\Hide_From_Upcoming_Controller' )->get_hidden_post_ids() + array( -1 => 0 ) ) );
		$has    = "EXISTS (SELECT 1 FROM $wpdb->postmeta m WHERE m.post_id = p.ID AND m.meta_key =";
		$shown  = "WHERE p.post_type = 'tribe_events' AND p.post_status IN ('$statuses') AND NOT (p.ID IN ($hidden) AND $has '_EventHideFromUpcoming' AND m.meta_value IN ('yes', '1')))";
		$rows   = $wpdb->prefix . 'tec_occurrences';
		$from   = array(
			array( "p.ID, $has '_tribe_featured')", "FROM $wpdb->posts p $shown" ),
			array( 'p.ID, x.term_id', "FROM $wpdb->posts p JOIN $wpdb->term_relationships r ON r.object_id = p.ID JOIN $wpdb->term_taxonomy x USING (term_taxonomy_id) $shown AND x.taxonomy IN ('tribe_events_cat', 'post_tag')" ),
			array( 'p.ID, m.meta_key, m.meta_value', "FROM $wpdb->posts p JOIN $wpdb->postmeta m ON m.post_id = p.ID $shown AND m.meta_key IN ('_EventStartDate', '_EventEndDate', '_EventStartDateUTC', '_EventEndDateUTC')" ),
			array( 'p.ID, o.start_date, o.end_date, o.start_date_utc, o.end_date_utc', "FROM $wpdb->posts p JOIN $rows o ON o.post_id = p.ID $shown" ),
		);
		return array() === self::read( $wpdb->prepare( 'SHOW TABLES LIKE %s', $wpdb->esc_like( $rows ) ) ) ? array_slice( $from, 0, 3 ) : $from;
	}

	public static function read( string $sql ): array {
		global $wpdb;
		$rows = $wpdb->get_results( $sql, ARRAY_N ); // phpcs:ignore WordPress.DB -- Made of names and numbers.
		if ( '' !== $wpdb->last_error || ! is_array( $rows ) ) {
			// A reply that lacks rows would hide events.
			throw new \RuntimeException( 'calendar-edge cannot read the events' );
		}
		return $rows;
	}

	private static function events( array $from, array $found ): array {
		$rows  = array();
		$facts = array();
		$meta  = array();
		foreach ( $from as list( $columns, $tables ) ) {
			$rows[] = self::read( "SELECT $columns $tables AND p.ID IN (" . implode( ',', array_merge( array( 0 ), array_column( $found, 0 ) ) ) . ')' );
		}
		foreach ( $found as list( $id, $featured ) ) {
			$facts[ $id ] = array( 'id' => (int) $id, 'featured' => (bool) $featured, 'terms' => array(), 'times' => array() );
		}
		foreach ( $rows[1] as list( $id, $term ) ) {
			$facts[ $id ]['terms'][] = (int) $term;
		}
		foreach ( $rows[2] as list( $id, $key, $time ) ) {
			$meta[ $id ][ $key ][] = $time;
		}
		foreach ( $rows[3] ?? array() as list( $id, $start, $end, $start_utc, $end_utc ) ) {
			array_push( $facts[ $id ]['times'], self::time( array( $start, $end ), false ), self::time( array( $start_utc, $end_utc ), true ) );
		}
		// Old events have no times of UTC. Views read them in one mode only.
		$lacks = array( '' => array( '' ), 'UTC' => \Tribe__Timezones::is_mode( 'site' ) ? array( '' ) : array() );
		foreach ( $facts as $id => $fact ) {
			foreach ( $lacks as $clock => $none ) {
				foreach ( $meta[ $id ][ "_EventStartDate$clock" ] ?? $none as $start ) {
					foreach ( $meta[ $id ][ "_EventEndDate$clock" ] ?? $none as $end ) {
						$fact['times'][] = self::time( array( $start, $end ), 'UTC' === $clock );
					}
				}
			}
			sort( $fact['times'] );
			$facts[ $id ]['times'] = array_values( array_unique( $fact['times'], SORT_REGULAR ) );
		}
		return array_values( $facts );
	}

	/** Start and end as the plugin reads them; those of UTC by the clock of the site. */
	private static function time( array $pair, bool $is_utc ): array {
		foreach ( $pair as $end => $text ) {
			$read = 1 === preg_match( '/\A\s*[1-9]\d{3}-\d\d?-\d\d? \d/', (string) $text ) ? date_create( $text, new \DateTimeZone( 'UTC' ) ) : false;
			if ( false === $read ) {
				return self::EVER;
			}
			$pair[ $end ] = $read->setTimezone( $is_utc ? wp_timezone() : $read->getTimezone() )->format( 'Y-m-d H:i:s' );
		}
		sort( $pair );
		return $pair;
	}

	private static function site(): array {
		global $wpdb;
		$rules = (array) $GLOBALS['wp_rewrite']->wp_rewrite_rules();
		$views = tribe( 'Tribe\Events\Views\V2\Manager' );
		$speak = array_filter( array( 'ICL_SITEPRESS_VERSION', 'POLYLANG_VERSION', 'TRP_PLUGIN_VERSION', 'WEGLOT_VERSION', 'QTX_VERSION', 'LINGUISE_VERSION', 'BOGO_VERSION' ), 'defined' );
		$term  = static function ( array $row ): array {
			return array( 'id' => (int) $row[0], 'taxonomy' => $row[1], 'slug' => $row[2], 'parent' => (int) $row[3] );
		};
		return array(
			'home'          => (string) get_option( 'home' ),
			'plugin'        => \Tribe__Events__Main::VERSION,
			'structure'     => (string) get_option( 'permalink_structure' ),
			'rules'         => array_map( null, array_map( 'strval', array_keys( $rules ) ), array_values( $rules ) ),
			'front_page'    => (bool) tribe_get_option( 'front_page_event_archive', false ) || -10 === (int) get_option( 'page_on_front' ),
			'languages'     => array() !== $speak || array() !== self::foreign( '/\A(?:(?:pre_)?determine_)?locale\z/' ),
			'views'         => self::has_views(),
			'filters'       => self::foreign( self::HOOKS ),
			'default_view'  => (string) $views->get_default_view_slug(),
			'enabled_views' => array_map( 'strval', array_keys( $views->get_publicly_visible_views() ) ),
			'per_page'      => (int) tribe_get_option( 'posts_per_page', tribe_get_option( 'postsPerPage', get_option( 'posts_per_page', 12 ) ) ),
			'cutoff'        => (string) tribe_get_option( 'multiDayCutoff', '00:00' ),
			'week_starts'   => (int) get_option( 'start_of_week' ),
			'language'      => get_bloginfo( 'language' ),
			'calendar'      => (string) tribe_get_events_link(),
			// phpcs:ignore WordPress.WP.I18n.TextDomainMismatch -- The plugin's own words.
			'words'         => array( 'none' => __( 'There were no results found.', 'the-events-calendar' ), 'calendar' => (string) tribe_get_event_label_plural() ),
			'terms'         => array_map( $term, self::read( "SELECT term_id, taxonomy, slug, parent FROM $wpdb->terms JOIN $wpdb->term_taxonomy USING (term_id) WHERE taxonomy IN ('tribe_events_cat', 'post_tag') ORDER BY term_id" ) ),
		);
	}

	/** Whether calendar pages are made of the plugin's views: a theme of blocks needs a template with the plugin's block. */
	private static function has_views(): bool {
		if ( ! function_exists( 'wp_is_block_theme' ) || ! wp_is_block_theme() ) {
			return array() === self::foreign( '/\Atemplate_include\z/', 50 );
		}
		// WordPress's own search would have the plugin store a template.
		$found = array_filter( array( get_block_template( get_stylesheet() . '//archive-events' ), \TEC\Common\Editor\Full_Site\Template_Utils::find_block_template_by_post( 'archive-events', 'tec' ) ) );
		$lacks = static function ( $template ): bool {
			return ! has_block( 'tec/archive-events', $template->content );
		};
		return array() !== $found && array() === array_filter( $found, $lacks );
	}

	/** The hooks that match and have a callback of neither WordPress nor the plugin, from a priority on. */
	private static function foreign( string $hooks, int $from = PHP_INT_MIN ): array {
		$ours  = array( ABSPATH . WPINC, ABSPATH . 'wp-admin', dirname( TRIBE_EVENTS_FILE ), dirname( ( new \ReflectionClass( 'Tribe__Main' ) )->getFileName(), 3 ) );
		$ours  = '#\A(?:(?:' . implode( '|', array_map( 'preg_quote', array_map( 'realpath', $ours ) ) ) . ')/|' . preg_quote( (string) realpath( __FILE__ ) ) . '\z)#';
		$found = array();
		foreach ( preg_grep( $hooks, array_keys( $GLOBALS['wp_filter'] ) ) as $hook ) {
			foreach ( $GLOBALS['wp_filter'][ $hook ]->callbacks as $priority => $callbacks ) {
				$files = array_map( array( self::class, 'file' ), array_column( $callbacks, 'function' ) );
				if ( $priority >= $from && array() !== preg_grep( $ours, $files, PREG_GREP_INVERT ) ) {
					$found[ $hook ] = $hook;
				}
			}
		}
		return array_values( $found );
	}

	/** The file that a callback comes from; empty when any plugin may have hooked it in. */
	private static function file( $callback ): string {
		if ( ! is_callable( $callback ) || is_string( $callback ) && 0 === strpos( $callback, '__return_' ) ) {
			return '';
		}
		$function = new \ReflectionFunction( \Closure::fromCallable( $callback ) );
		// The plugin's container calls a method of what it holds.
		$held = $callback instanceof \Closure ? $function->getStaticVariables()['id'] ?? null : null;
		$held = is_string( $held ) && ! class_exists( $held ) ? tribe( $held ) : $held;
		$held = is_array( $callback ) ? $callback[0] : $held;
		return (string) realpath( (string) ( null === $held ? $function : new \ReflectionClass( $held ) )->getFileName() );
	}
}

/**
 * Names the records of the calendar, those of any status, without anything that they contain.
 */
final class Records {

	/** Meta that links a record to others whose content it shows. */
	const LINKS = array( '_EventVenueID', '_EventOrganizerID', '_thumbnail_id' );

	/**
	 * The next records behind a number, or the ones that are named: members of a reply.
	 *
	 * @param string $where The SQL condition on posts `p`.
	 * @param bool   $walks Whether it goes on behind them.
	 * @param int    $most  The most records.
	 */
	public static function page( string $where, bool $walks, int $most ): array {
		global $wpdb;
		$found = Facts::read( "SELECT p.ID, p.post_type, p.post_status, p.post_password, p.post_name FROM $wpdb->posts p WHERE " . self::of_calendar() . " AND $where ORDER BY p.ID LIMIT " . ( $most + 1 ) );
		$shown = array_slice( $found, 0, $most );
		$sums  = self::sums( array_column( $shown, 0 ), 2 );
		$names = array();
		foreach ( $shown as list( $id, $type, $status, $password, $slug ) ) {
			$names[] = array( 'id' => (int) $id, 'kind' => Watch::POSTS[ $type ][0], 'status' => $status, 'password' => '' !== $password, 'slug' => $slug, 'sum' => crc32( $sums[ $id ] ) );
		}
		return array( 'names' => $names, 'next' => $walks && count( $found ) > $most ? end( $names )['id'] : null );
	}

	/**
	 * Another text when any name is another, also without a message.
	 */
	public static function sum(): string {
		global $wpdb;
		return implode( '.', Facts::read( "SELECT COUNT(*), SUM(CRC32(CONCAT_WS('|', p.ID, p.post_type, p.post_status, p.post_password, p.post_name))) FROM $wpdb->posts p WHERE " . self::of_calendar() )[0] );
	}

	/**
	 * Categories and tags with a number that is another one when anything that they print is.
	 *
	 * @param array $terms Terms of the reply.
	 */
	public static function with_sums( array $terms ): array {
		global $wpdb;
		$sums = array_column( Facts::read( "SELECT term_id, CRC32(CONCAT_WS('|', name, slug, parent, description, count)) FROM $wpdb->terms JOIN $wpdb->term_taxonomy USING (term_id) WHERE taxonomy IN ('tribe_events_cat', 'post_tag')" ), 1, 0 );
		foreach ( $terms as $place => $term ) {
			$terms[ $place ]['sum'] = (int) ( $sums[ $term['id'] ] ?? 0 );
		}
		return $terms;
	}

	private static function of_calendar(): string {
		return "p.post_type IN ('" . implode( "','", array_keys( Watch::POSTS ) ) . "')";
	}

	/** By number, a text that is another one when a post is, its meta or its terms, or, down to a depth, what it links to. */
	private static function sums( array $ids, int $depth ): array {
		global $wpdb;
		if ( array() === $ids ) {
			return array();
		}
		$list   = implode( ',', $ids );
		$silent = implode( "','", esc_sql( Watch::silent_meta() ) );
		$sums   = array_fill_keys( $ids, '' );
		foreach ( array(
			array( 'p.ID', 'p.post_status, p.post_password, p.post_date, p.post_modified, p.post_name, p.post_parent, p.post_author, p.menu_order, p.post_title, p.post_excerpt, p.post_content', "$wpdb->posts p WHERE 1 = 1" ),
			array( 'm.post_id', 'm.meta_key, m.meta_value', "$wpdb->postmeta m WHERE m.meta_key NOT IN ('$silent')" ),
			array( 'r.object_id', 't.term_id, t.name, t.slug, x.taxonomy, x.parent, x.description', "$wpdb->term_relationships r JOIN $wpdb->term_taxonomy x USING (term_taxonomy_id) JOIN $wpdb->terms t USING (term_id) WHERE 1 = 1" ),
		) as list( $id, $columns, $tables ) ) {
			foreach ( Facts::read( "SELECT $id, SUM(CRC32(CONCAT_WS('|', $columns))) FROM $tables AND $id IN ($list) GROUP BY $id" ) as $row ) {
				$sums[ $row[0] ] .= ":$row[1]";
			}
		}
		$links = 0 === $depth ? array() : Facts::read( "SELECT post_id, meta_value + 0 FROM $wpdb->postmeta WHERE post_id IN ($list) AND meta_key IN ('" . implode( "','", self::LINKS ) . "') ORDER BY meta_id" );
		$of    = self::sums( array_unique( array_map( 'intval', array_column( $links, 1 ) ) ), $depth - 1 );
		foreach ( $links as list( $id, $other ) ) {
			$sums[ $id ] .= '>' . $of[ (int) $other ];
		}
		return $sums;
	}
}

/**
 * The lines in Tools > Site Health about the guard, the messages to edges, and the rules.
 */
final class Health {

	/** @var Secret|null */
	private $secret;

	/** @var Edge[] */
	private $edges;

	/** @var Surface|null */
	private $surface;

	/**
	 * @param Secret|null  $secret  The secret; null when none is configured.
	 * @param Edge[]       $edges   The edges that get messages.
	 * @param Surface|null $surface The rules for other routes; null when none are configured.
	 */
	public function __construct( ?Secret $secret, array $edges, ?Surface $surface ) {
		$this->secret  = $secret;
		$this->edges   = $edges;
		$this->surface = $surface;
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
		if ( array() !== $this->edges ) {
			$tests['direct']['calendar_edge_messages'] = array(
				'label' => 'calendar-edge',
				'test'  => array( $this, 'report_messages' ),
			);
		}
		if ( null !== $this->surface ) {
			$tests['direct']['calendar_edge_surface'] = array(
				'label' => 'calendar-edge',
				'test'  => array( $this, 'report_surface' ),
			);
		}
		return $tests;
	}

	public function report(): array {
		return self::line( 'calendar_edge_guard', $this->finding() );
	}

	public function report_messages(): array {
		$urls   = array_column( $this->edges, 'url' );
		$missed = array_filter(
			array_keys( Courier::unsent() ),
			function ( $url ) use ( $urls ) {
				return in_array( Edge::configured_url( $url ), $urls, true );
			}
		);
		$text   = array() === $missed
			? array( 'good', 'calendar-edge hears of changes', 'The last change arrived at every edge.' )
			: array( 'recommended', 'calendar-edge does not hear of changes', 'The last change did not arrive at: ' . implode( ', ', $missed ) . '. It is sent again with the next one.' );
		return self::line( 'calendar_edge_messages', $text );
	}

	public function report_surface(): array {
		$failing = $this->surface->failing();
		$unread  = $this->surface->unread();
		$text    = array( 'good', 'calendar-edge closes routes of this site', sprintf( 'Rules of CALENDAR_EDGE_SURFACE that hold: %d.', $this->surface->count() ) );
		if ( array() !== $unread ) {
			$text = array( 'recommended', 'calendar-edge cannot read all of its rules', 'These parts of CALENDAR_EDGE_SURFACE close nothing: ' . implode( ', ', $unread ) );
		}
		if ( array() !== $failing ) {
			$text = array( 'critical', 'calendar-edge does not close the routes that it should', 'Another plugin answers before these rules of CALENDAR_EDGE_SURFACE: ' . implode( ', ', $failing ) );
		}
		return self::line( 'calendar_edge_surface', $text );
	}

	private static function line( string $test, array $finding ): array {
		list( $status, $label, $description ) = $finding;
		return array(
			'label'       => $label,
			'status'      => $status,
			'badge'       => array(
				'label' => 'calendar-edge',
				'color' => 'blue',
			),
			'description' => '<p>' . esc_html( $description ) . '</p>',
			'actions'     => '',
			'test'        => $test,
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
	return is_string( $value ) ? $value : null;
}

/**
 * True if an edge requests a route of this plugin. A mark that does not hold ends the run.
 */
function asks( Secret $secret, Exchange $exchange, string $method, string $route ): bool {
	if ( '' === $exchange->mark() || ! $exchange->names_route( $route, '/calendar-edge/v1' ) ) {
		return false;
	}
	$code = Mark::objection( $secret, $exchange, $method );
	if ( '' !== $code ) {
		refuse( $code );
	}
	return true;
}

/**
 * Refuses a request of an edge whose mark does not hold, and ends the run.
 */
function refuse( string $code ): void {
	http_response_code( 403 );
	header( 'Content-Type: application/json; charset=UTF-8' );
	header( 'Cache-Control: no-store' );
	$refusal = array(
		'code'    => $code,
		'message' => Guard::MESSAGES[ $code ],
		'data'    => array( 'status' => 403 ),
	);
	echo wp_json_encode( $refusal );
	exit;
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
 * The one of these namespaces that a route may belong to; WordPress matches routes without regard to case.
 *
 * @param string   $route      The route.
 * @param string[] $namespaces Namespaces with a slash in front.
 */
function namespace_of( string $route, array $namespaces ): ?string {
	foreach ( $namespaces as $namespace ) {
		if ( 1 === preg_match( '~^/*' . preg_quote( $namespace, '~' ) . '(?![a-z0-9_-])~i', $route ) ) {
			return $namespace;
		}
	}
	return null;
}

/**
 * Puts the guard up, and listens to changes where edges are configured. The command line has no clients to guard
 * against, but it changes things.
 */
function start(): void {
	$secret  = Secret::configured();
	$edges   = Edge::configured();
	$list    = setting( 'CALENDAR_EDGE_SURFACE' );
	$surface = null === $list ? null : new Surface( $list, array_merge( guarded_namespaces(), array( '/calendar-edge/v1' ) ) );
	( new Health( $secret, $edges, $surface ) )->register();
	if ( null !== $surface ) {
		$surface->register();
	}
	if ( null === $secret ) {
		return;
	}
	// phpcs:ignore WordPress.Security.NonceVerification -- Nothing is done with these but to compare them.
	$exchange = new Exchange( $_SERVER, $_GET, $_POST, $_FILES );
	if ( 'cli' !== PHP_SAPI ) {
		( new Guard( $secret, $exchange, guarded_namespaces() ) )->register();
		$copied = Copied::asked( $secret, $exchange, (string) ( $_SERVER['HTTP_X_CALENDAR_EDGE_NUMBER'] ?? '' ) );
		if ( null !== $copied && '' === $secret->fault() ) {
			$copied->register();
		}
	}
	if ( '' === $secret->fault() && array() !== $edges && ! wp_installing() ) {
		report_changes( $secret, $edges, $exchange );
	}
}

/**
 * @param Secret   $secret   The secret.
 * @param Edge[]   $edges    The edges that get messages.
 * @param Exchange $exchange The request at hand.
 */
function report_changes( Secret $secret, array $edges, Exchange $exchange ): void {
	if ( 'cli' !== PHP_SAPI ) {
		$method = (string) ( $_SERVER['REQUEST_METHOD'] ?? '' );
		Announcer::answer( $secret, $exchange, $method );
		Facts::listen( $secret, $exchange, $method );
	}
	$reporter = new Reporter( new Courier( $secret, $edges ) );
	$reporter->register();
	( new Outset( $reporter ) )->register();
	( new Watch( $reporter ) )->register();
	( new Announcer( $secret, $exchange ) )->register();
}

start();
