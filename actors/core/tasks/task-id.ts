// Ids of operator tasks that follow from their matter: whoever finds the same thing again opens no second task.
import { idBodyOf } from '../ids.js';

/** `matter`: begins with its kind, so that no two kinds meet in one id. */
export const taskIdOf = (matter: string): string => `task_${idBodyOf(matter)}`;
