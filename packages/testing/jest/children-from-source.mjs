/*
 * A program that starts one of its own parts as a process gives it its own flags. Jest transforms what it runs
 * itself; what a process of its own runs is transformed by this loader.
 */
process.execArgv.push('--import', new URL('./load-typescript.mjs', import.meta.url).href);
