// The environments of the tests of the configuration.
import { RAIL_VARIABLES } from '#actors/rails/rail-registry.js';
import { type ConfigError, type ProcessName, readConfig } from '#ops/runtime/config.js';

export const KEY = 'ab'.repeat(32);
export const NEEDED = {
  REDIS_URL: 'redis://:word@127.0.0.1:7000/0',
  DATABASE_URL: 'postgres://kasir:word@127.0.0.1:7001/kasir',
  SECRETS_KEY: KEY,
  ID_KEY: Buffer.alloc(32, 1).toString('base64'),
  COMMAND_KEY_GATEWAY: '11'.repeat(32),
};
export const OTHER_KEYS = {
  COMMAND_KEY_RAILS: '12'.repeat(32),
  COMMAND_KEY_WEBHOOKS: '13'.repeat(32),
};
export const TLS = {
  REDIS_URL: 'rediss://:word@redis.example:7000/0',
  DATABASE_URL: 'postgres://kasir:word@postgres.example:7001/kasir?sslmode=verify-full',
};
export const PRODUCTION = {
  ...{ ...NEEDED, ...TLS },
  NODE_ENV: 'production',
  BASE_URL: 'https://pay.example.com/',
};
/** The keys of the rails process, which refuses the gateway's. */
export const OF_RAILS = {
  COMMAND_KEY_GATEWAY: '',
  COMMAND_KEY_RAILS: OTHER_KEYS.COMMAND_KEY_RAILS,
};

/** The faults that a start with these variables tells; none if it starts. */
export function faultsOf(
  environment: Record<string, string>,
  name: ProcessName = 'gateway',
): readonly string[] {
  try {
    readConfig(name, environment, name === 'rails' ? RAIL_VARIABLES : []);
    return [];
  } catch (error) {
    return (error as ConfigError).faults;
  }
}
