<?php
// Says how PHP read a request: what it has under `rest_route`, and the paths in which WordPress looks for a route.

$text = fn( $value ) => is_string( $value ) ? bin2hex( $value ) : ( null === $value ? null : 'array' );

$path_info = explode( '?', $_SERVER['PATH_INFO'] ?? '' )[0];
$address   = explode( '?', $_SERVER['REQUEST_URI'] )[0];

header( 'Content-Type: application/json' );
echo json_encode(
	array(
		'get'   => $text( $_GET['rest_route'] ?? null ),
		'post'  => $text( $_POST['rest_route'] ?? null ),
		'paths' => array( bin2hex( $path_info ), bin2hex( $address ), bin2hex( urldecode( $address ) ) ),
		'files' => count( $_FILES ),
	)
);
