// The reasons of a quarantine that say: no process of the installation may have sent this command. It must not be sent again,
// since a signature would make it genuine (docs/decisions/0033-signed-commands.md).

export const NOT_SIGNED = 'the frame is not signed with a key of COMMAND_KEY_…';

export const explainWrongSource = (source: string, type: string): string =>
  `the process ${source} may not send a command "${type}"`;

const WRONG_SOURCE = /^the process \w+ may not send a command "/;

export const isUnauthorized = (reason: string): boolean =>
  reason === NOT_SIGNED || WRONG_SOURCE.test(reason);
