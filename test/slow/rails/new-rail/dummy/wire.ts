// The wire format of the dummy rail: JSON, an order for each charge.
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { RailResponse } from '#actors/rails/adapters/rail-client.js';
import { parseJson } from '#actors/rails/adapters/wire.js';

const OrderSchema = Type.Object({
  id: Type.String(),
  reference: Type.String(),
  amount: Type.Integer(),
  state: Type.Union((['open', 'paid', 'closed'] as const).map((state) => Type.Literal(state))),
  qr: Type.String(),
});
const Order = TypeCompiler.Compile(OrderSchema);
export type Order = Static<typeof OrderSchema>;

/** absent: the rail knows no such thing. null: no answer of the rail, or one that is not understood. */
export type Reply = { readonly body: unknown } | 'absent' | null;

export function readReply(response: RailResponse): Reply {
  if (response.kind !== 'answer') return null;
  if (response.status === 404) return 'absent';
  return response.status === 200 ? { body: parseJson(response.body) } : null;
}

export function readOrder(reply: Reply, orderId: string): Order | null {
  if (reply === null || reply === 'absent') return null;
  return Order.Check(reply.body) && reply.body.id === orderId ? reply.body : null;
}
