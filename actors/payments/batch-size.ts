// The number of commands in one commit. It follows what Postgres can do within the limit on a statement (4 s): a batch that
// was rolled back is halved, down to single frames, and each commit well below the limit allows some more. So commands
// are committed as long as Postgres can commit one frame, however slow it has become. A slow commit alone changes
// nothing: where each commit waits for a slow disk, small batches would only need more of them.
const MAX_COMMANDS = 1_024;
const STEP_COMMANDS = 32;
/** Half of the limit on a statement, so that the growth itself ends before it. */
const GROWS_BELOW_MS = 2_000;

export class BatchSize {
  #maxCommands = MAX_COMMANDS;

  get maxCommands(): number {
    return this.#maxCommands;
  }

  /** Only a batch of nearly the limit shows what more of them would take. */
  onCommitted(commands: number, elapsedMs: number): void {
    if (elapsedMs >= GROWS_BELOW_MS || commands * 2 < this.#maxCommands) return;
    this.#maxCommands = Math.min(MAX_COMMANDS, this.#maxCommands + STEP_COMMANDS);
  }

  /** `commands`: those of the batch, which may be more than the limit when they are one frame. */
  onRolledBack(commands: number): void {
    const tried = Math.min(commands, this.#maxCommands);
    this.#maxCommands = Math.max(1, Math.floor(tried / 2));
  }
}
