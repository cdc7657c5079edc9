<?php
/**
 * Plugin Name: Bridge Document
 * Description: Serves the signed discovery document of {{domain}} to agents, at /.well-known/bridge.json.
 * Version: 1.0.0
 * Requires at least: 5.9
 * Requires PHP: 7.4
 * License: Apache-2.0
 */

namespace BridgeDocument;

defined( 'ABSPATH' ) || exit;

const DOMAIN     = '{{domain}}';
const RENEW_AT   = '{{renewAt}}';
const PATH       = '/.well-known/bridge.json';
const OPTION     = 'bridge_document';
const PAGE       = 'bridge-document';
const MAX_BYTES  = 65536;
const WARN_AFTER = 10 * DAY_IN_SECONDS;

/** Answers for the document alone, before WordPress looks for a page or redirects; without a document, WordPress answers. */
function serve() {
	$path = wp_parse_url( $_SERVER['REQUEST_URI'] ?? '', PHP_URL_PATH );
	$text = PATH === $path ? get_option( OPTION ) : false;
	if ( ! is_string( $text ) || '' === $text ) {
		return;
	}
	$method = $_SERVER['REQUEST_METHOD'] ?? 'GET';
	if ( 'GET' !== $method && 'HEAD' !== $method ) {
		status_header( 405 );
		header( 'Allow: GET, HEAD' );
		exit;
	}
	status_header( 200 );
	header( 'Content-Type: application/json' );
	header( 'Access-Control-Allow-Origin: *' );
	header( 'Cache-Control: public, max-age=300' );
	header( 'X-Content-Type-Options: nosniff' );
	if ( 'HEAD' !== $method ) {
		echo $text; // JSON, as it was signed: byte for byte.
	}
	exit;
}
add_action( 'init', __NAMESPACE__ . '\serve', 0 );

/** What is wrong with an uploaded text, as a code; an empty one if nothing is. */
function fault_of( $text ) {
	if ( false !== strpos( $text, 'PRIVATE KEY' ) ) {
		return 'key';
	}
	$document = json_decode( $text, true );
	if ( ! is_array( $document ) || ! isset( $document['provider']['domain'] ) ) {
		return 'json';
	}
	if ( DOMAIN !== $document['provider']['domain'] ) {
		return 'domain';
	}
	return isset( $document['manifest']['signature'], $document['expires_at'] ) ? '' : 'unsigned';
}

function sentences() {
	return array(
		'saved'    => 'Saved. Agents get this document from now on.',
		'file'     => 'Choose the file bridge.json. It has at most 64 KiB.',
		'key'      => 'This is your private key. Keep it to yourself: WordPress did not store it. The file to upload is bridge.json.',
		'json'     => 'This is no discovery document.',
		'domain'   => 'This document is of another domain than ' . DOMAIN . '.',
		'unsigned' => 'This document is not signed.',
	);
}

/** Takes the file that the settings page sends. */
function save() {
	check_admin_referer( PAGE );
	if ( ! current_user_can( 'manage_options' ) ) {
		wp_die( 'Only an administrator can do this.', 403 );
	}
	$file = $_FILES['document'] ?? null;
	$said = 'file';
	if ( $file && UPLOAD_ERR_OK === $file['error'] && $file['size'] <= MAX_BYTES && is_uploaded_file( $file['tmp_name'] ) ) {
		$text = file_get_contents( $file['tmp_name'] );
		$said = fault_of( $text );
		if ( '' === $said ) {
			update_option( OPTION, $text, false );
			$said = 'saved';
		}
	}
	wp_safe_redirect( add_query_arg( array( 'page' => PAGE, 'said' => $said ), admin_url( 'options-general.php' ) ) );
	exit;
}
add_action( 'admin_post_' . PAGE, __NAMESPACE__ . '\save' );

/** Seconds since 1970 until which the stored document holds; 0 without one. */
function holds_until() {
	$document = json_decode( (string) get_option( OPTION, '' ), true );
	return is_array( $document ) ? (int) strtotime( (string) ( $document['expires_at'] ?? '' ) ) : 0;
}

function settings_page() {
	$said  = sanitize_key( $_GET['said'] ?? '' );
	$until = holds_until();
	echo '<div class="wrap"><h1>Agent discovery</h1>';
	if ( isset( sentences()[ $said ] ) ) {
		$class = 'saved' === $said ? 'notice-success' : 'notice-error';
		echo '<div class="notice ' . esc_attr( $class ) . '"><p>' . esc_html( sentences()[ $said ] ) . '</p></div>';
	}
	if ( $until > 0 ) {
		echo '<p>' . esc_html( 'The document holds until ' . wp_date( get_option( 'date_format' ), $until ) . '.' ) . '</p>';
		echo '<p><a href="' . esc_url( home_url( PATH ) ) . '">' . esc_html( home_url( PATH ) ) . '</a></p>';
	} else {
		echo '<p>There is no document yet.</p>';
	}
	echo '<form method="post" enctype="multipart/form-data" action="' . esc_url( admin_url( 'admin-post.php' ) ) . '">';
	wp_nonce_field( PAGE );
	echo '<input type="hidden" name="action" value="' . esc_attr( PAGE ) . '">';
	echo '<p><label for="document">The signed file, bridge.json</label><br><input type="file" id="document" name="document" accept=".json" required></p>';
	submit_button( 'Upload' );
	echo '</form></div>';
}

function add_settings_page() {
	add_options_page( 'Agent discovery', 'Agent discovery', 'manage_options', PAGE, __NAMESPACE__ . '\settings_page' );
}
add_action( 'admin_menu', __NAMESPACE__ . '\add_settings_page' );

/** A signature that runs out takes the site off the directory: who can renew it is told ten days before. */
function warn() {
	$until = holds_until();
	if ( 0 === $until || $until - time() > WARN_AFTER || ! current_user_can( 'manage_options' ) ) {
		return;
	}
	echo '<div class="notice notice-warning"><p>' . esc_html( 'The signature of your discovery document runs out on ' . wp_date( get_option( 'date_format' ), $until ) . '. Sign it again with your key, and upload it under Settings, Agent discovery.' );
	if ( '' !== RENEW_AT ) {
		echo ' <a href="' . esc_url( RENEW_AT ) . '">Sign it again</a>';
	}
	echo '</p></div>';
}
add_action( 'admin_notices', __NAMESPACE__ . '\warn' );

function uninstall() {
	delete_option( OPTION );
}
register_uninstall_hook( __FILE__, __NAMESPACE__ . '\uninstall' );
