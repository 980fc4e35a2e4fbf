import type { Site } from '../site.ts';
import { crowd } from './crowd.ts';
import { register } from './register.ts';
import { shop } from './shop.ts';
import { social } from './social.ts';

/** The sites of the test web, each under its prefix. */
export const sites: readonly Site[] = [crowd, shop, social, register];
