// The protocols that the simulator runs.
import type { Protocol } from './protocol.js';
import { RAILS } from './rails/run.js';
import { PAYMENTS, SPLITS } from './run-scenario.js';
import { WEBHOOKS } from './webhooks/run.js';

export const PROTOCOLS: readonly Protocol[] = [PAYMENTS, SPLITS, RAILS, WEBHOOKS];
