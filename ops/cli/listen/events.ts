// New events of a TEST account, by its key: the list is read from the newest back to what is known, so that none
// is left out however many come between two looks.
import type { EventBody } from '#actors/core/schemas/event.js';

const PAGE = 100;
const MAX_PAGES = 50;
const MAX_KNOWN = 50_000;
const ANSWER_MS = 10_000;
/** Events are listed by the time at which they happened; one may be committed a little later than a newer one. */
const LATE_MS = 60_000;

export interface EventSource {
  readonly baseUrl: string;
  readonly key: string;
}

interface EventPage {
  readonly data: readonly EventBody[];
  readonly next_cursor: string | null;
}

async function readPage({ baseUrl, key }: EventSource, cursor: string | null): Promise<EventPage> {
  const url = new URL('/v1/events', baseUrl);
  url.searchParams.set('limit', String(PAGE));
  if (cursor !== null) url.searchParams.set('cursor', cursor);
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(ANSWER_MS),
    redirect: 'error',
  });
  if (response.status === 200) return (await response.json()) as EventPage;
  throw new Error(`${url.origin} answered ${response.status}: ${await response.text()}`);
}

/** Answers, each time that it is called, what was not there at the time before; oldest first. */
export function followEvents(source: EventSource): () => Promise<EventBody[]> {
  const known = new Set<string>();
  let fromMs: number | null = null;
  return async () => {
    const isFirst = fromMs === null;
    const fresh: EventBody[] = [];
    let cursor: string | null = null;
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const page: EventPage = await readPage(source, cursor);
      fromMs ??= Date.parse(page.data[0]?.created_at ?? new Date(0).toISOString());
      const floorMs = fromMs - LATE_MS;
      const recent = page.data.filter(({ created_at }) => Date.parse(created_at) >= floorMs);
      const unknown = recent.filter(({ id }) => !known.has(id));
      for (const event of unknown) fresh.unshift(event);
      cursor = page.next_cursor;
      if (cursor === null || recent.length < page.data.length || unknown.length === 0) break;
    }
    for (const { id } of fresh) known.add(id);
    for (const id of [...known].slice(0, Math.max(0, known.size - MAX_KNOWN))) known.delete(id);
    return isFirst ? [] : fresh;
  };
}
