// The name under which customers know a merchant.
import type { Postgres } from '../client.js';

export async function findBusinessName(sql: Postgres, id: string): Promise<string | undefined> {
  const rows = await sql<{ name: string }[]>`
    select business_name as name from merchants where id = ${id}`;
  return rows[0]?.name;
}
