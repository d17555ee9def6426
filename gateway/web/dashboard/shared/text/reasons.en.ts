// Reasons of failed deliveries in English (actors/core/webhooks/failures.ts lists them).
export const REASONS_EN = {
  http_401: {
    title: 'Signature refused (401)',
    meaning: 'Your endpoint did not accept the signature.',
    remedy:
      'Check that it uses the secret of this endpoint, verifies the raw body, and has no login in front of it.',
  },
  http_404: {
    title: 'Address not found (404)',
    meaning: 'There is no POST route at this address.',
    remedy: 'Correct the address of the endpoint, or add the route to your server.',
  },
  http_405: {
    title: 'POST not allowed (405)',
    meaning: 'The address accepts GET only: it is probably a page that customers return to.',
    remedy: 'Register the address that takes webhooks by POST.',
  },
  http_410: {
    title: 'Endpoint is gone (410)',
    meaning: 'Your endpoint says that it is gone, so this event is not sent again.',
    remedy: 'Correct the address, then replay the delivery.',
  },
  http_429: {
    title: 'Too many requests (429)',
    meaning: 'Your endpoint asked for fewer requests.',
    remedy: 'Exempt the webhook route from the rate limit of your server.',
  },
  http_status: {
    title: 'Answer was not 2xx',
    meaning: 'Your endpoint answered with an error.',
    remedy: 'Read its answer below and the log of your server.',
  },
  redirect: {
    title: 'Redirected',
    meaning: 'Your endpoint redirected, and redirects are not followed.',
    remedy: 'Register the final address, usually the one with https:// and without or with www.',
  },
  timeout_dns: {
    title: 'Name lookup took too long',
    meaning: 'The name of your server was not resolved within 3 seconds.',
    remedy: 'Check the name servers of your domain.',
  },
  timeout_connect: {
    title: 'No connection',
    meaning: 'There was no connection to your server within 3 seconds.',
    remedy: 'Check that your server runs and that its firewall lets the port through.',
  },
  timeout_tls: {
    title: 'TLS took too long',
    meaning: 'The TLS handshake did not end within 3 seconds.',
    remedy: 'Check the HTTPS settings and the load of your server.',
  },
  timeout_response: {
    title: 'Answer took too long',
    meaning: 'Your endpoint took the request and did not answer within 10 seconds.',
    remedy: 'Store the event and answer at once; do the work afterwards.',
  },
  dns: {
    title: 'Name not found',
    meaning: 'The name of your server could not be resolved.',
    remedy: 'Check the address for typing errors, and the DNS records of your domain.',
  },
  connection: {
    title: 'Connection refused',
    meaning: 'The connection to your server was refused or broke off.',
    remedy: 'Check that your server runs and listens on this port.',
  },
  tls: {
    title: 'TLS failed',
    meaning:
      'The TLS certificate of your server was not acceptable, or your server demands a certificate of the sender.',
    remedy: 'Renew it, and serve its whole chain. Do not demand a client certificate.',
  },
  response_invalid: {
    title: 'Answer was not HTTP',
    meaning:
      'The answer was not valid HTTP, its head was too large, or a response 100 or 101 came that was not asked for.',
    remedy:
      'Check that an HTTPS server answers on this port, with one Content-Length. After a response 100, the next attempts accept it.',
  },
  target_refused: {
    title: 'Address not allowed',
    meaning: 'The address is not a public HTTPS address with port 443 or above 1023.',
    remedy: 'Register a public HTTPS address.',
  },
  endpoint_inactive: {
    title: 'Endpoint was off',
    meaning: 'The endpoint was switched off when the event was due.',
    remedy: 'Switch the endpoint on, then replay the delivery.',
  },
  secret_unreadable: {
    title: 'Fault of the service',
    meaning: 'The secret of the endpoint could not be read. This is not your fault.',
    remedy: 'Tell support, or rotate the secret and replay the delivery.',
  },
  not_recorded: {
    title: 'Fault of the service',
    meaning: 'The result of the last attempt could not be stored. This is not your fault.',
    remedy: 'Replay the delivery.',
  },
} as const;
