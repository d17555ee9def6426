// The browser and the system of the person, by which they recognise a session (gateway/accounts/users/schema.ts has the names).
import type { MerchantSchema } from '../api/client.js';

export type Device = NonNullable<MerchantSchema['Session']['device']>;

/** The first that fits: several call themselves Chrome or Safari, too. */
const BROWSERS = [
  ['edge', /Edg(?:A|iOS)?\//, 'Edge'],
  ['opera', /OPR\//, 'Opera'],
  ['samsung', /SamsungBrowser\//, 'Samsung Internet'],
  ['firefox', /Firefox\/|FxiOS\//, 'Firefox'],
  ['chrome', /Chrome\/|CriOS\//, 'Chrome'],
  ['safari', /Safari\//, 'Safari'],
] as const satisfies readonly (readonly [Device['browser'], RegExp, string])[];
const SYSTEMS = [
  ['android', /Android/, 'Android'],
  ['ios', /iPhone|iPad/, 'iOS'],
  ['chromeos', /CrOS/, 'ChromeOS'],
  ['windows', /Windows/, 'Windows'],
  ['macos', /Macintosh/, 'macOS'],
  ['linux', /Linux/, 'Linux'],
] as const satisfies readonly (readonly [Device['system'], RegExp, string])[];

/** undefined: one that has no name here. */
export function readDevice({ userAgent: agent }: Pick<Navigator, 'userAgent'>): Device | undefined {
  const browser = BROWSERS.find(([, pattern]) => pattern.test(agent))?.[0];
  const system = SYSTEMS.find(([, pattern]) => pattern.test(agent))?.[0];
  return browser === undefined || system === undefined ? undefined : { browser, system };
}

/** `Safari, iOS`. A name of a later version of the service is shown as it is. */
export function formatDevice({ browser, system }: Device): string {
  const browserName = BROWSERS.find(([name]) => name === browser)?.[2] ?? browser;
  return `${browserName}, ${SYSTEMS.find(([name]) => name === system)?.[2] ?? system}`;
}
