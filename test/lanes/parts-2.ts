import { loadShare } from './lane.ts';

await loadShare('parts', 2, 3);
