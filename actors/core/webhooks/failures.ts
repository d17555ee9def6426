// The reasons why a delivery attempt failed: a closed set, stored with attempts and dead letters, with an explanation for
// the merchant.
const MEANINGS = {
  http_401:
    'The endpoint refused the signature: a wrong or duplicate secret, or authentication middleware in front of the verification.',
  http_404: 'There is no POST route at the address.',
  http_405: 'The address accepts only GET: a return page was registered as webhook.',
  http_410: 'The endpoint says that it is gone; nothing more of this event is sent to it.',
  http_429: 'The endpoint asked for fewer requests.',
  http_status: 'The endpoint did not answer with a 2xx status.',
  redirect: 'The endpoint redirected; redirects are not followed. Register the final address.',
  timeout_dns: "The endpoint's name was not resolved within 3 seconds.",
  timeout_connect: 'There was no TCP connection to the endpoint within 3 seconds.',
  timeout_tls: 'The TLS handshake with the endpoint did not end within 3 seconds.',
  timeout_response:
    'The endpoint took the request and did not answer within 10 seconds. Answer first, then do the work.',
  dns: "The endpoint's name could not be resolved.",
  connection: 'The connection to the endpoint was refused or broke off.',
  tls: "The endpoint's TLS certificate or handshake was not acceptable, or it demanded a certificate of the service.",
  response_invalid:
    "The endpoint's answer was not valid HTTP, its head was too large, or an interim response came that was not asked for.",
  target_refused:
    'The address is not a public HTTPS target (port 443 or above 1023, no user info, no private or reserved address).',
  endpoint_inactive: 'The endpoint was switched off when the event was due.',
  secret_unreadable: "The endpoint's secret could not be read; this is a fault of the service.",
  not_recorded:
    'The result of the last attempt could not be stored; this is a fault of the service. Replay the delivery.',
} as const;

export type DeliveryFailure = keyof typeof MEANINGS;
export const DELIVERY_FAILURES = Object.keys(MEANINGS) as readonly DeliveryFailure[];

export const explainFailure = (failure: DeliveryFailure): string => MEANINGS[failure];

/** A repeat would fail in the same way, so the delivery is dead at once. */
const FINAL: ReadonlySet<DeliveryFailure> = new Set([
  'http_410',
  'target_refused',
  'endpoint_inactive',
]);

export const isFinal = (failure: DeliveryFailure): boolean => FINAL.has(failure);

const BY_STATUS: Readonly<Record<number, DeliveryFailure>> = {
  401: 'http_401',
  404: 'http_404',
  405: 'http_405',
  410: 'http_410',
  429: 'http_429',
};

/** The failure of an HTTP status; null: success (2xx). */
export function classifyStatus(status: number): DeliveryFailure | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return 'redirect';
  return BY_STATUS[status] ?? 'http_status';
}
