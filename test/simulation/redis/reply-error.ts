/** Named as the driver names the errors that Redis answers. */
export class ReplyError extends Error {
  override readonly name = 'ReplyError';
}
