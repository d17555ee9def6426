/** An empty text becomes null, which clears a field of the API. */
export const readText = (text: string): string | null => (text.trim() === '' ? null : text.trim());
