import { describe } from 'node:test';
import { completesBy } from './completes-by.ts';

// A zsh at a terminal takes a second for each line.
describe('completion', () => completesBy('zsh'));
