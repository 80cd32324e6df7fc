<?php
/**
 * Plugin Name: Calendar kinds
 * Description: Registers the five kinds of The Events Calendar for tests, saves their meta, and reads them back.
 * Version: 0.1.0
 * License: MIT OR Apache-2.0
 *
 * @package CalendarEdge
 */

namespace CalendarKinds;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

const ROUTES = 'tribe/events/v1';
const TYPES  = array(
	'events'     => 'tribe_events',
	'venues'     => 'tribe_venue',
	'organizers' => 'tribe_organizer',
);
const TERMS  = array(
	'categories' => 'tribe_events_cat',
	'tags'       => 'post_tag',
);
const META   = array( '_EventStartDate', '_EventVenueID', '_EventOrganizerID', '_VenueCity', '_OrganizerEmail' );

add_action(
	'init',
	function () {
		foreach ( TYPES as $type ) {
			register_post_type(
				$type,
				array(
					'public'     => true,
					'label'      => $type,
					'supports'   => array( 'title', 'editor', 'thumbnail' ),
					'taxonomies' => 'tribe_events' === $type ? array( 'post_tag' ) : array(),
				)
			);
		}
		register_taxonomy(
			'tribe_events_cat',
			'tribe_events',
			array(
				'hierarchical' => true,
				'public'       => true,
			)
		);
		register_taxonomy_for_object_type( 'post_tag', 'tribe_events' );
		add_theme_support( 'post-thumbnails' );
	}
);

// As the calendar does: meta is written behind the post, from fields of the form.
add_action(
	'save_post',
	function ( $id, $post ) {
		foreach ( in_array( $post->post_type, TYPES, true ) ? META : array() as $key ) {
			if ( isset( $_POST[ ltrim( $key, '_' ) ] ) ) {
				update_post_meta( $id, $key, sanitize_text_field( wp_unslash( $_POST[ ltrim( $key, '_' ) ] ) ) );
			}
		}
	},
	15,
	2
);

// A run of PHP that is killed, where a test asks for it: before a post is stored, behind that, or when all is done.
function killed( string $place ): void {
	if ( file_exists( CALENDAR_PROBE_LOG . ".$place" ) ) {
		unlink( CALENDAR_PROBE_LOG . ".$place" );
		posix_kill( getmypid(), 9 );
	}
}
add_action( 'post_updated', function () {
	killed( 'stored' );
}, -PHP_INT_MAX );
add_action( 'save_post', function () {
	killed( 'saved' );
}, 20 );
add_action( 'shutdown', function () {
	killed( 'at-the-end' );
} );

function term_shown( \WP_Term $term ): array {
	return array(
		'id'       => $term->term_id,
		'name'     => $term->name,
		'slug'     => $term->slug,
		'taxonomy' => $term->taxonomy,
		'parent'   => $term->parent,
		'count'    => $term->count,
	);
}

function terms_of( int $id, string $taxonomy ): array {
	$terms = get_the_terms( $id, $taxonomy );
	return is_array( $terms ) ? array_map( __NAMESPACE__ . '\\term_shown', $terms ) : array();
}

function post_shown( \WP_Post $post ): array {
	$shown = array(
		'id'     => $post->ID,
		'status' => $post->post_status,
		'title'  => $post->post_title,
	);
	if ( 'tribe_events' !== $post->post_type ) {
		return $shown + array( 'city' => get_post_meta( $post->ID, '_VenueCity', true ) );
	}
	$image = (int) get_post_thumbnail_id( $post );
	$venue = get_post( (int) get_post_meta( $post->ID, '_EventVenueID', true ) );
	return $shown + array(
		'start_date' => get_post_meta( $post->ID, '_EventStartDate', true ),
		'image'      => $image ? array(
			'id'  => $image,
			'url' => wp_get_attachment_url( $image ),
		) : false,
		'venue'      => $venue ? post_shown( $venue ) : array(),
		'categories' => terms_of( $post->ID, 'tribe_events_cat' ),
		'tags'       => terms_of( $post->ID, 'post_tag' ),
	);
}

function listed( string $collection, array $shown ): \WP_REST_Response {
	$body = array(
		$collection   => $shown,
		'rest_url'    => rest_url( ROUTES . "/$collection/" ),
		'total'       => count( $shown ),
		'total_pages' => 1,
	);
	return new \WP_REST_Response(
		$body,
		200,
		array(
			'X-TEC-Total'      => count( $shown ),
			'X-TEC-TotalPages' => 1,
		)
	);
}

function read( string $route, callable $answer ): void {
	$endpoint = array(
		'methods'             => 'GET',
		'callback'            => $answer,
		'permission_callback' => '__return_true',
	);
	register_rest_route( ROUTES, $route, $endpoint, true );
}

add_action(
	'rest_api_init',
	function () {
		foreach ( TYPES as $collection => $type ) {
			read(
				"/$collection",
				function () use ( $collection, $type ) {
					$posts = get_posts( array( 'post_type' => $type, 'numberposts' => 50, 'orderby' => 'ID' ) );
					return listed( $collection, array_map( __NAMESPACE__ . '\\post_shown', $posts ) );
				}
			);
			read(
				"/$collection/(?P<id>\d+)",
				function ( $request ) use ( $type ) {
					$post = get_post( (int) $request['id'] );
					$is   = $post && $type === $post->post_type && 'publish' === $post->post_status;
					return $is ? post_shown( $post ) : new \WP_Error( 'none', 'There is none.', array( 'status' => 404 ) );
				}
			);
		}
		foreach ( TERMS as $collection => $taxonomy ) {
			read(
				"/$collection",
				function () use ( $collection, $taxonomy ) {
					$terms = get_terms( array( 'taxonomy' => $taxonomy, 'hide_empty' => false ) );
					return listed( $collection, array_map( __NAMESPACE__ . '\\term_shown', $terms ) );
				}
			);
			read(
				"/$collection/(?P<id>\d+)",
				function ( $request ) use ( $taxonomy ) {
					$term = get_term( (int) $request['id'], $taxonomy );
					return $term instanceof \WP_Term ? term_shown( $term ) : new \WP_Error( 'none', 'There is none.', array( 'status' => 404 ) );
				}
			);
		}
	},
	20
);
