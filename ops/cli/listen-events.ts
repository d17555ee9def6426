// Reads the new events of an account. Each poll reads the list from the newest event back to known ones, so that no
// event is skipped however many happen between two polls.
import type { EventBody } from '#actors/core/schemas/event.js';

const EVENTS_PER_PAGE = 100;
const MAX_PAGES = 50;
const MAX_KNOWN = 50_000;
const RESPONSE_TIMEOUT_MS = 10_000;
/** The list is ordered by the time of the event; an event may be committed after a newer one. */
const MAX_LATENESS_MS = 60_000;

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
  url.searchParams.set('limit', String(EVENTS_PER_PAGE));
  if (cursor !== null) url.searchParams.set('cursor', cursor);
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
    redirect: 'error',
  });
  if (response.status === 200) return (await response.json()) as EventPage;
  throw new Error(`${url.origin} answered ${response.status}: ${await response.text()}`);
}

/** Returns a function that reads the events since its previous call, oldest first; the first call returns none. */
export function followEvents(source: EventSource): () => Promise<EventBody[]> {
  const known = new Set<string>();
  let startMs: number | null = null;
  return async () => {
    const isFirst = startMs === null;
    const fresh: EventBody[] = [];
    let cursor: string | null = null;
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const page: EventPage = await readPage(source, cursor);
      startMs ??= Date.parse(page.data[0]?.created_at ?? new Date(0).toISOString());
      const floorMs = startMs - MAX_LATENESS_MS;
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
