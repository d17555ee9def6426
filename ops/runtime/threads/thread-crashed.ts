/** A background thread ended while it did a job; what it did until then is not known. */
export class ThreadCrashedError extends Error {
  constructor(name: string, cause: unknown) {
    super(`the background thread "${name}" crashed during a job; the next job starts another one`, {
      cause,
    });
  }
}
