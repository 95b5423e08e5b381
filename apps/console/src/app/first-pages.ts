/* What a person sees first after the sign-in: the router loads it before the other pages. */
export { HomePage } from './home-page.js';
export { Shell } from './shell.js';
