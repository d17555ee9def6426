// Whether the webhooks process has made every committed payment findable.
import type { Postgres } from '#store/postgres/client.js';

export async function isAllSearchable(sql: Postgres): Promise<boolean> {
  const [row] = await sql<{ waiting: boolean }[]>`
    select exists (select from payment_search_cursors c join partitions p on p.id = c.partition
                    where (p.position_ms, p.position_seq) > (c.position_ms, c.position_seq)) as waiting`;
  return row?.waiting === false;
}
