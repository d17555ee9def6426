// A failed request as a thrown value: an answer of the API that is an error, or no answer.

interface ErrorBody {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly param: string | null;
    readonly request_id: string;
    readonly passkey_options?: object;
  };
}

export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  readonly status: number;
  readonly code: string;
  /** The field that is wrong. */
  readonly param: string | null;
  readonly requestId: string | null;
  /** Seconds to wait before another attempt. */
  readonly retryAfterS: number | null;
  /** The challenge of a sign-in that lacks a passkey. */
  readonly passkeyOptions: object | null;

  constructor(status: number, body: unknown, retryAfter: string | null = null) {
    const error = isErrorBody(body) ? body.error : undefined;
    super(error?.message ?? `The service answered ${status}.`);
    this.status = status;
    this.code = error?.code ?? 'unknown';
    this.param = error?.param ?? null;
    this.requestId = error?.request_id ?? null;
    this.passkeyOptions = error?.passkey_options ?? null;
    this.retryAfterS = retryAfter === null ? null : Number(retryAfter);
  }
}

function isErrorBody(body: unknown): body is ErrorBody {
  return typeof body === 'object' && body !== null && 'error' in body;
}

/** The service did not answer, or its answer broke off. */
export class ConnectionFailure extends Error {
  override readonly name = 'ConnectionFailure';
}

interface ApiResult<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** The data of an answer; a list also has a CSV form, which is never asked for here. @throws ApiFailure for an error */
export async function unwrap<Data>(
  answer: Promise<ApiResult<Data>>,
): Promise<Exclude<Data, string>> {
  const { data, error, response } = await answer;
  if (!response.ok) {
    throw new ApiFailure(response.status, error, response.headers.get('Retry-After'));
  }
  return data as Exclude<Data, string>;
}
