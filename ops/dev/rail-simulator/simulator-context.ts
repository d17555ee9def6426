// What the simulated rails have in common: settings, books, a clock, and the way to tell the service of a change.
import { Type, type Static } from '@sinclair/typebox';
import type { OrderStore, SimulatedOrder } from './orders-store.js';
import type { Callback } from './callback-sender.js';

const Target = Type.Union([Type.String(), Type.Null()]);

export const SimulatorSettings = Type.Object({
  /** 0: any. */
  port: Type.Integer({ minimum: 0, maximum: 65_535 }),
  midtransServerKey: Type.String({ minLength: 1 }),
  xenditSecretKey: Type.String({ minLength: 1 }),
  xenditCallbackToken: Type.String({ minLength: 1 }),
  /** Where callbacks go; null: nowhere, until the control API says. */
  callbacks: Type.Object({ midtrans: Target, xendit: Target }),
  /** The books on disk; null: in memory only. */
  file: Type.Union([Type.String(), Type.Null()]),
  /** How long banks take with payouts and refunds. */
  bankMs: Type.Integer({ minimum: 0 }),
});
export type SimulatorSettings = Static<typeof SimulatorSettings>;

export interface SimulatorContext {
  readonly settings: SimulatorSettings;
  readonly store: OrderStore;
  /** The simulator's own address. */
  readonly baseUrl: string;
  nowMs(): number;
  /** Writes the order down, then tells the service. */
  change(order: SimulatedOrder): void;
  send(callback: Callback): void;
  /** After the time that banks take. */
  later(go: () => void): void;
}
