import { loadShare } from './lane.ts';

await loadShare('parts', 3, 3);
