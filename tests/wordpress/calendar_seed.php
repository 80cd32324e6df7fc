<?php
// Fills a site that has The Events Calendar with some 170 events in 22 time zones, the same ones at every run:
//
//     php tests/wordpress/calendar_seed.php FOLDER_OF_THE_SITE HOST:PORT [FROM TO]
//
// With two days, only those that begin between them.
// Most of them are ordinary. The others stand where a calendar that is sorted by days and months errs.

$_SERVER['HTTP_HOST'] = $argv[2];
require $argv[1] . '/wp-load.php';
wp_set_current_user( 1 );

const ZONES = array(
	'Europe/Berlin', 'America/New_York', 'America/Los_Angeles', 'Asia/Tokyo', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Apia', 'Pacific/Kiritimati',
	'America/St_Johns', 'Africa/Cairo', 'Asia/Kathmandu', 'Australia/Adelaide', 'America/Sao_Paulo', 'Europe/London', 'Europe/Lisbon', 'Pacific/Chatham',
	'UTC', 'UTC+5.5', 'Asia/Tehran', 'America/Anchorage', 'Pacific/Pago_Pago', 'Atlantic/Azores',
);

/** Title, start, end, zone, and what else is said of the event. */
const TRAPS = array(
	array( 'First of all', '1999-06-30 20:00:00', '1999-06-30 22:00:00', 'America/Los_Angeles' ),
	array( 'Last of all', '2040-02-01 00:15:00', '2040-02-01 01:00:00', 'Asia/Tokyo' ),
	array( 'Ends at midnight', '2027-04-10 20:00:00', '2027-04-11 00:00:00', 'Europe/Berlin' ),
	array( 'Ends at the midnight of a month', '2029-04-28 10:00:00', '2029-05-01 00:00:00', 'Europe/Berlin' ),
	array( 'Starts a second before midnight', '2027-05-31 23:59:59', '2027-06-01 00:30:00', 'Europe/Berlin' ),
	array( 'Starts and ends a second before midnight', '2028-05-31 23:59:59', '2028-05-31 23:59:59', 'Europe/Berlin' ),
	array( 'No length at midnight', '2029-09-01 00:00:00', '2029-09-01 00:00:00', 'Europe/Berlin' ),
	array( 'No length at noon', '2029-10-10 12:00:00', '2029-10-10 12:00:00', 'Europe/Berlin' ),
	array( 'A second after midnight', '2029-11-01 00:00:01', '2029-11-01 00:00:02', 'Europe/Berlin' ),
	array( 'In the hour that is left out', '2027-03-28 02:30:00', '2027-03-28 03:30:00', 'Europe/Berlin' ),
	array( 'In the hour that comes twice', '2027-10-31 02:30:00', '2027-10-31 02:45:00', 'Europe/Berlin' ),
	array( 'Before the hour that is left out', '2031-03-29 23:00:00', '2031-03-30 02:30:00', 'Europe/Berlin' ),
	array( 'The night before the hour that is left out', '2028-03-25 02:59:00', '2028-03-25 02:59:59', 'Europe/Berlin' ),
	array( 'In the half hour that is left out', '2027-10-03 02:15:00', '2027-10-03 02:45:00', 'Australia/Lord_Howe' ),
	array( 'In the hour that is left out in New York', '2028-03-12 02:30:00', '2028-03-12 02:40:00', 'America/New_York' ),
	array( 'On the day that Apia left out', '2011-12-30 12:00:00', '2011-12-30 13:00:00', 'Pacific/Apia' ),
	array( 'Over a new year', '2028-12-31 22:00:00', '2029-01-01 03:00:00', 'Australia/Adelaide' ),
	array( 'Over three months', '2030-05-20 09:00:00', '2030-08-02 18:00:00', 'Europe/London' ),
	array( 'Over three years', '2032-11-05 09:00:00', '2034-02-02 18:00:00', 'Asia/Kolkata', array( 'cats' => array( 'music' ) ) ),
	array( 'A whole day', '2027-02-14 00:00:00', '2027-02-14 23:59:59', 'America/Sao_Paulo', array( 'all_day' => true ) ),
	array( 'Whole days over the end of a month', '2027-11-29 00:00:00', '2027-12-02 23:59:59', 'Africa/Cairo', array( 'all_day' => true ) ),
	array( 'A whole day of the leap year', '2028-02-29 00:00:00', '2028-02-29 23:59:59', 'Pacific/Kiritimati', array( 'all_day' => true ) ),
	array( 'Late in Pago Pago', '2035-06-30 23:30:00', '2035-06-30 23:45:00', 'Pacific/Pago_Pago' ),
	array( 'Early in Kiritimati', '2035-10-01 00:10:00', '2035-10-01 00:20:00', 'Pacific/Kiritimati' ),
	array( 'Early in Chatham', '2036-04-01 01:00:00', '2036-04-01 02:00:00', 'Pacific/Chatham' ),
	array( 'At three in the morning', '2029-07-08 03:00:00', '2029-07-08 04:00:00', 'Europe/Berlin' ),
	array( 'Until three in the morning', '2029-07-15 22:00:00', '2029-07-16 03:00:00', 'Europe/Berlin' ),
	array( 'A second before three', '2029-07-22 02:59:59', '2029-07-22 02:59:59', 'Europe/Berlin' ),
	array( 'Hidden', '2037-03-03 10:00:00', '2037-03-03 11:00:00', 'Europe/Berlin', array( 'hidden' => 'yes' ) ),
	array( 'Hidden by a number', '2037-04-03 10:00:00', '2037-04-03 11:00:00', 'Europe/Berlin', array( 'hidden' => '1' ) ),
	array( 'Behind a password', '2037-05-03 10:00:00', '2037-05-03 11:00:00', 'Europe/Berlin', array( 'password' => 'open sesame' ) ),
	array( 'A draft', '2037-06-03 10:00:00', '2037-06-03 11:00:00', 'Europe/Berlin', array( 'status' => 'draft', 'cats' => array( 'drafts' ) ) ),
	array( 'Private', '2037-07-03 10:00:00', '2037-07-03 11:00:00', 'Europe/Berlin', array( 'status' => 'private' ) ),
	array( 'Pending', '2037-08-03 10:00:00', '2037-08-03 11:00:00', 'Europe/Berlin', array( 'status' => 'pending' ) ),
	array( 'In the bin', '2037-09-03 10:00:00', '2037-09-03 11:00:00', 'Europe/Berlin', array( 'status' => 'trash' ) ),
	array( 'Featured', '2036-09-03 10:00:00', '2036-09-03 11:00:00', 'Europe/Berlin', array( 'featured' => true ) ),
	array( 'Featured jazz', '2036-11-03 10:00:00', '2036-11-03 11:00:00', 'America/New_York', array( 'featured' => true, 'cats' => array( 'jazz' ), 'tags' => array( 'open-air' ) ) ),
	array( 'Of a grandchild', '2038-01-03 10:00:00', '2038-01-03 11:00:00', 'Europe/Berlin', array( 'cats' => array( 'free-jazz' ) ) ),
	array( 'Of two categories', '2038-03-03 10:00:00', '2038-03-03 11:00:00', 'Europe/Berlin', array( 'cats' => array( 'jazz', 'sport' ), 'tags' => array( 'open-air', 'free' ) ) ),
	array( 'Of a word in another script', '2038-05-03 10:00:00', '2038-05-03 11:00:00', 'Asia/Tokyo', array( 'cats' => array( '音楽' ), 'tags' => array( 'été' ) ) ),
);

/** Slug, name, slug of the parent. */
const CATEGORIES = array(
	array( 'music', 'Music', '' ),
	array( 'jazz', 'Jazz', 'music' ),
	array( 'free-jazz', 'Free jazz', 'jazz' ),
	array( 'sport', 'Sport', '' ),
	array( '音楽', '音楽', '' ),
	array( 'drafts', 'Drafts', '' ),
	array( 'unused', 'Unused', '' ),
	array( 'unused-child', 'Child of unused', 'unused' ),
);

function term( string $slug, string $name, string $taxonomy, string $parent = '' ): int {
	$found = get_term_by( 'slug', $slug, $taxonomy );
	if ( $found instanceof WP_Term ) {
		return $found->term_id;
	}
	$made = wp_insert_term( $name, $taxonomy, array( 'slug' => $slug, 'parent' => '' === $parent ? 0 : get_term_by( 'slug', $parent, $taxonomy )->term_id ) );
	if ( $made instanceof WP_Error ) {
		fwrite( STDERR, "$slug was not made: {$made->get_error_message()}\n" );
		exit( 1 );
	}
	return (int) $made['term_id'];
}

function event( string $title, string $start, string $end, string $zone, array $more = array() ): int {
	$arguments = array( 'title' => $title, 'status' => 'publish', 'start_date' => $start, 'end_date' => $end, 'timezone' => $zone );
	$made      = tribe_events()->set_args( $arguments )->create();
	if ( ! $made instanceof WP_Post ) {
		fwrite( STDERR, "$title was not made\n" );
		exit( 1 );
	}
	$id = $made->ID;
	wp_set_object_terms( $id, array_map( function ( $slug ) { return term( $slug, $slug, 'tribe_events_cat' ); }, $more['cats'] ?? array() ), 'tribe_events_cat' );
	wp_set_object_terms( $id, array_map( function ( $slug ) { return term( $slug, $slug, 'post_tag' ); }, $more['tags'] ?? array() ), 'post_tag' );
	foreach ( array( 'all_day' => '_EventAllDay', 'featured' => '_tribe_featured', 'hidden' => '_EventHideFromUpcoming' ) as $name => $meta ) {
		if ( isset( $more[ $name ] ) ) {
			update_post_meta( $id, $meta, true === $more[ $name ] ? ( 'all_day' === $name ? 'yes' : '1' ) : $more[ $name ] );
		}
	}
	if ( isset( $more['password'] ) || isset( $more['hidden'] ) || 'trash' !== ( $more['status'] ?? 'trash' ) ) {
		wp_update_post( array( 'ID' => $id, 'post_password' => $more['password'] ?? '', 'post_status' => $more['status'] ?? 'publish' ) );
	}
	if ( 'trash' === ( $more['status'] ?? '' ) ) {
		wp_trash_post( $id );
	}
	return $id;
}

function is_wanted( string $start ): bool {
	global $argv;
	return $start >= ( $argv[3] ?? '' ) && $start < ( $argv[4] ?? '9999' );
}

foreach ( CATEGORIES as list( $slug, $name, $parent ) ) {
	term( $slug, $name, 'tribe_events_cat', $parent );
}
$made = 0;
foreach ( TRAPS as $trap ) {
	$made += is_wanted( $trap[1] ) && event( ...$trap ) ? 1 : 0;
}
// Ordinary events, ever rarer towards the end.
$day = new DateTimeImmutable( '2026-03-02' );
for ( $n = 0; $n < 130; $n++ ) {
	$day   = $day->modify( '+' . ( 1 + (int) ( $n * $n / 240 ) ) . ' days' );
	$start = $day->setTime( ( 7 * $n ) % 24, ( 15 * $n ) % 60 );
	$end   = $start->modify( '+' . ( 1 + ( $n * 5 ) % 9 ) . ' hours' );
	$more  = array();
	if ( 0 === $n % 5 ) {
		$more['cats'] = array( array( 'music', 'jazz', 'sport' )[ $n % 3 ] );
	}
	if ( 0 === $n % 7 ) {
		$more['tags'] = array( array( 'open-air', 'free' )[ $n % 2 ] );
	}
	if ( 0 === $n % 11 ) {
		$more['featured'] = true;
	}
	$begins = $start->format( 'Y-m-d H:i:s' );
	$made  += is_wanted( $begins ) && event( "Ordinary $n", $begins, $end->format( 'Y-m-d H:i:s' ), ZONES[ $n % count( ZONES ) ], $more ) ? 1 : 0;
}
wp_insert_term( 'Unused tag', 'post_tag', array( 'slug' => 'unused-tag' ) );
echo "$made events\n";
