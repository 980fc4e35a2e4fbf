import type { Site } from '../site.ts';
import { ads } from './ads.ts';
import { crowd } from './crowd.ts';
import { register } from './register.ts';
import { shop } from './shop.ts';
import { social } from './social.ts';

/** The sites of the demo web, each under its prefix. */
export const sites: readonly Site[] = [crowd, ads, shop, social, register];
