// A mutant is a deliberate fault: one text of one source file is replaced. Its catcher must fail on it; a mutant that
// survives shows a rule that nothing proves.
export interface Mutant {
  /** The rule that it breaks. */
  readonly breaks: string;
  readonly file: string;
  /** Occurs once in the file. */
  readonly from: string;
  readonly to: string;
  /** A test file, or the simulator, perhaps with faults of one kind only so that it is quick. */
  readonly caughtBy: string | { readonly protocol: string; readonly fault?: string };
}
