// Answers of rails on their way to Postgres. While one statement is under way, the next answers collect, so that a
// thousand that come at once are a few statements.
import type { CallAnswer } from '../../../store/postgres/rails/record-answers.js';

const MAX_BATCH = 256;

interface Waiting {
  readonly answer: CallAnswer;
  readonly resolve: (isFirst: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** Answers a function that resolves to whether its answer was the first of its call. */
export function createAnswerBook(
  record: (answers: readonly CallAnswer[]) => Promise<ReadonlySet<string>>,
): (answer: CallAnswer) => Promise<boolean> {
  const waiting: Waiting[] = [];
  let isWriting = false;

  const writeAll = async (): Promise<void> => {
    isWriting = true;
    for (let batch = waiting.splice(0, MAX_BATCH); batch.length > 0;) {
      try {
        const first = await record(batch.map(({ answer }) => answer));
        for (const { answer, resolve } of batch) resolve(first.has(answer.callId));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      batch = waiting.splice(0, MAX_BATCH);
    }
    isWriting = false;
  };

  return (answer) =>
    new Promise((resolve, reject) => {
      waiting.push({ answer, resolve, reject });
      if (!isWriting) void writeAll();
    });
}
