// The shared context of the simulated rails: settings, orders, a clock, and callbacks to the service.
import { Type, type Static } from '@sinclair/typebox';
import type { OrderStore, SimulatedOrder } from './orders-store.js';
import type { Callback } from './callback-sender.js';

const Target = Type.Union([Type.String(), Type.Null()]);

export const SimulatorSettings = Type.Object({
  /** 0: any free port. */
  port: Type.Integer({ minimum: 0, maximum: 65_535 }),
  midtransServerKey: Type.String({ minLength: 1 }),
  xenditSecretKey: Type.String({ minLength: 1 }),
  xenditCallbackToken: Type.String({ minLength: 1 }),
  /** The callback addresses; null: none until the control API sets them. */
  callbacks: Type.Object({ midtrans: Target, xendit: Target }),
  /** The file of the orders; null: in memory only. */
  file: Type.Union([Type.String(), Type.Null()]),
  /** The time that banks take for payouts and refunds. */
  bankMs: Type.Integer({ minimum: 0 }),
});
export type SimulatorSettings = Static<typeof SimulatorSettings>;

export interface SimulatorContext {
  readonly settings: SimulatorSettings;
  readonly store: OrderStore;
  /** The address of the simulator. */
  readonly baseUrl: string;
  nowMs(): number;
  /** Stores the order, then sends its callback. */
  change(order: SimulatedOrder): void;
  send(callback: Callback): void;
  /** Runs after the time that banks take. */
  later(go: () => void): void;
}
