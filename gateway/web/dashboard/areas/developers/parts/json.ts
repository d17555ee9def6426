// JSON as people read it.

const INDENT = 2;

/** Indents a JSON text; any other text stays as it is. */
export function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, INDENT);
  } catch {
    return text;
  }
}

/** A body of an API log. */
export const writeBody = (body: unknown): string => JSON.stringify(body, null, INDENT);

/** Whether the body of a delivery says that it is a test, so that its payment or payout does not exist. */
export function isTestEvent(body: string): boolean {
  try {
    const { data } = JSON.parse(body) as { readonly data?: { readonly test?: unknown } };
    return data?.test === true;
  } catch {
    return false;
  }
}
