// The browser and the system of a login, which its client names, so that the user recognises the session.
import { Type } from '@sinclair/typebox';
import { BROWSERS, SYSTEMS } from '#store/postgres/accounts/sessions.js';

const DEVICE = {
  browser: Type.Union(
    BROWSERS.map((browser) => Type.Literal(browser)),
    { errorMessage: `must be one of ${BROWSERS.join(', ')}` },
  ),
  system: Type.Union(
    SYSTEMS.map((system) => Type.Literal(system)),
    { errorMessage: `must be one of ${SYSTEMS.join(', ')}` },
  ),
};
const description = 'The browser and the system of a login, for the list of sessions.';

export const DeviceRequest = Type.Object(DEVICE, {
  ...{ additionalProperties: false, title: 'DeviceRequest', description },
});
export const Device = Type.Object(DEVICE, { title: 'Device', description });
