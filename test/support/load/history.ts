// The history of the clients: one entry for each request, with its times by one monotonic clock. The invariants use it
// and the tables, never the service's own reports.

export type Operation =
  | {
      readonly kind: 'create';
      /** null: sent without a key, so never sent again. */
      readonly key: string | null;
      /** Stored as reference_id; the same for every create of one key, whatever its body. */
      readonly reference: string;
      readonly amount: string;
    }
  | { readonly kind: 'get'; readonly paymentId: string }
  | { readonly kind: 'simulate'; readonly paymentId: string; readonly outcome: 'paid' | 'failed' }
  | { readonly kind: 'cancel'; readonly paymentId: string };

/** refused: no connection was made, so nothing was sent. lost: sent, or perhaps sent, no whole answer. */
export type Result =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly text: string;
      readonly body: Readonly<Record<string, unknown>>;
      readonly isReplayed: boolean;
    }
  | { readonly kind: 'refused' | 'lost'; readonly reason: string };

export interface Entry {
  readonly operation: Operation;
  /** 1 for the first time that the operation was sent. */
  readonly attempt: number;
  readonly gateway: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly result: Result;
}

export type Answered = Entry & { readonly result: Extract<Result, { kind: 'answer' }> };

export function isAnswered(entry: Entry): entry is Answered {
  return entry.result.kind === 'answer';
}

/** Answers that say what became of the operation: neither "not now" nor "not known". */
export function isDecided(entry: Entry): entry is Answered {
  return isAnswered(entry) && entry.result.status < 500;
}

/** The code of an error body, or the empty text. */
export function codeOf({ body: { error } }: Answered['result']): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return String(error.code);
}

/** The payment that an answer is about: of a create that was answered, the one it shows. */
export function paymentOf(entry: Answered): string | undefined {
  const { operation, result } = entry;
  if (operation.kind !== 'create') return operation.paymentId;
  return result.status < 300 ? String(result.body['id']) : undefined;
}

/** One line of a violation's message: enough to find the entry in a log. */
export function describe(entry: Entry): string {
  const { operation, startMs, endMs, attempt } = entry;
  const what = operation.kind === 'create' ? `key ${operation.key}` : operation.paymentId;
  const times = `${startMs.toFixed(1)} to ${endMs.toFixed(1)} ms`;
  return `${operation.kind} of ${what}, attempt ${attempt}, ${times}: ${describeResult(entry)}`;
}

function describeResult(entry: Entry): string {
  const { result } = entry;
  return result.kind === 'answer'
    ? `${result.status} ${codeOf(result)}`.trim()
    : `${result.kind} (${result.reason})`;
}

/** Counts of each kind of operation and answer, for a comment. */
export function summarise(history: readonly Entry[]): string {
  const counts = new Map<string, number>();
  for (const entry of history) {
    const { operation, result } = entry;
    const how = isAnswered(entry) ? String(entry.result.status) : result.kind;
    const key = `${operation.kind} ${how}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].map(([key, count]) => `${key}: ${count}`).join(', ');
}
