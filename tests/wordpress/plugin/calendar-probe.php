<?php
/**
 * Plugin Name: Calendar probe
 * Description: Registers the calendar's routes for tests, and writes down what reaches them.
 * Version: 0.1.0
 * License: MIT OR Apache-2.0
 *
 * @package CalendarEdge
 */

namespace CalendarProbe;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

const ROUTES = 'tribe/events/v1';

/**
 * Notes that code of a calendar route ran: a validation, a permission check or the callback.
 */
function note( string $what ): void {
	file_put_contents( CALENDAR_PROBE_LOG, "$what\n", FILE_APPEND | LOCK_EX );
}

function endpoint( string $methods ): array {
	return array(
		'methods'             => $methods,
		'callback'            => __NAMESPACE__ . '\\answer',
		'permission_callback' => function () {
			note( 'permission' );
			return true;
		},
		'args'                => array(
			'image' => array(
				'validate_callback' => function () {
					note( 'validation' );
					return true;
				},
			),
		),
	);
}

function answer( \WP_REST_Request $request ): array {
	note( 'callback' );
	return array(
		'reached' => $request->get_route(),
		'method'  => $request->get_method(),
		'args'    => $request->get_params(),
	);
}

// The Events Calendar 6.15.18 and later write encoded letters with small digits before WordPress reads the target.
add_action(
	'init',
	function () {
		if ( false === strpos( $_SERVER['REQUEST_URI'] ?? '', 'rewritten' ) ) {
			return;
		}
		$small = function ( $found ) {
			return strtolower( $found[0] );
		};
		$_SERVER['REQUEST_URI'] = preg_replace_callback( '/%[89a-f][0-9a-f]/i', $small, $_SERVER['REQUEST_URI'] );
	},
	1
);

add_action(
	'rest_api_init',
	function () {
		$batch = array( 'allow_batch' => array( 'v1' => true ) );
		register_rest_route( ROUTES, '/events', array( endpoint( 'GET' ), endpoint( 'POST' ) ) + $batch );
		register_rest_route( ROUTES, '/events/(?P<id>\d+)', array( endpoint( 'GET,POST,PUT,PATCH,DELETE' ) ) + $batch );
		register_rest_route( ROUTES, '/events/by-slug/(?P<slug>[^/]+)', array( endpoint( 'GET' ) ) );

		// New records, as the calendar makes them.
		$creates = array(
			'/venues' => function ( $request ) {
				$venue = array( 'post_type' => 'tribe_venue', 'post_status' => 'publish', 'post_title' => $request['venue'], 'post_content' => $request['description'] );
				$id    = wp_insert_post( $venue, true );
				return array( 'id' => $id, 'description' => get_post( $id )->post_content );
			},
			'/tags'   => function ( $request ) {
				return array( 'id' => wp_insert_term( $request['name'], 'post_tag' )['term_id'] );
			},
		);
		foreach ( $creates as $route => $callback ) {
			register_rest_route( ROUTES, $route, array( 'methods' => 'POST', 'callback' => $callback, 'permission_callback' => '__return_true' ) );
		}

		// An ordinary route whose answer links to the calendar, so that `_embed` dispatches there.
		$linked = function () {
			$response = new \WP_REST_Response( array( 'linked' => true ) );
			$response->add_link( 'up', rest_url( ROUTES . '/events/1' ), array( 'embeddable' => true ) );
			return $response;
		};
		$internal = function () {
			return rest_do_request( new \WP_REST_Request( 'GET', '/' . ROUTES . '/events' ) );
		};
		foreach ( array( 'linked' => $linked, 'internal' => $internal ) as $name => $callback ) {
			register_rest_route(
				'probe/v1',
				"/$name",
				array(
					'methods'             => 'GET',
					'callback'            => $callback,
					'permission_callback' => '__return_true',
				)
			);
		}
	}
);

// A plugin that changes the route: before the guard looks at it, and after.
foreach ( array( 'move' => 10, 'late' => PHP_INT_MAX ) as $word => $priority ) {
	add_filter(
		'rest_pre_dispatch',
		function ( $result, $server, $request ) use ( $word ) {
			if ( $word === $request->get_param( 'probe' ) ) {
				$request->set_route( '/' . ROUTES . '/events' );
			}
			return $result;
		},
		$priority,
		3
	);
}

// Code of the site that calls the calendar, outside of the REST API.
function call_internally(): void {
	$response = rest_do_request( new \WP_REST_Request( 'GET', '/' . ROUTES . '/events' ) );
	wp_send_json( $response->get_data(), $response->get_status() );
}
add_action( 'wp_ajax_nopriv_probe', __NAMESPACE__ . '\\call_internally' );
add_action( 'wp_ajax_nopriv_probe_vouched', function () {
	add_filter( 'calendar_edge_allow_internal', '__return_true' );
	call_internally();
} );
