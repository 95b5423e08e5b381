import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, matchesGlob, relative } from 'node:path';
import { packagesIn, parsePairs } from './dockerfile.js';
import type { Instruction, Stage } from './dockerfile.js';

/** Folders that the commands of our Dockerfile name by their absolute path; here they lie in the stage's folder. */
const IMAGE_FOLDERS = /(?<![\w./-])\/(service|part|documents|data|srv|etc\/nginx)(?=[/\s]|$)/g;

/**
 * Does what `docker build` does with a Dockerfile, without an engine: each stage is a folder, COPY copies, RUN runs.
 * What an engine adds is not tried: the base images, their users and packages, and that nothing else of this machine is
 * seen.
 */
export class ImageBuilder {
  private readonly built = new Map<string, string>();

  constructor(
    private readonly stages: readonly Stage[],
    private readonly context: string,
    private readonly folder: string,
  ) {}

  /** @returns the folder that is the image's root */
  build(name: string): string {
    const done = this.built.get(name);
    if (done) return done;
    const stage = this.stages.find((each) => each.name === name);
    const root = join(this.folder, name);
    if (!stage) {
      // Of a base image only its empty places count.
      mkdirSync(join(this.folder, 'scratch'), { recursive: true });
      return join(this.folder, 'scratch');
    }
    execFileSync('cp', ['-a', this.build(stage.base), root]);
    let workdir = this.workdirOf(stage.base);
    for (const instruction of stage.instructions) {
      if (instruction.name === 'WORKDIR') workdir = instruction.text;
      mkdirSync(join(root, workdir), { recursive: true });
      if (instruction.name === 'COPY') this.copy(instruction, root, workdir);
      if (instruction.name === 'RUN') this.run(instruction.text, root, workdir, stage);
    }
    this.built.set(name, root);
    return root;
  }

  workdirOf(name: string): string {
    const stage = this.stages.find((each) => each.name === name);
    if (!stage) return '/';
    return stage.instructions.findLast((each) => each.name === 'WORKDIR')?.text ?? this.workdirOf(stage.base);
  }

  environmentOf(name: string): Record<string, string> {
    const stage = this.stages.find((each) => each.name === name);
    if (!stage) return {};
    const own = stage.instructions.filter((each) => each.name === 'ENV').map((each) => parsePairs(each.text));
    return Object.assign({}, this.environmentOf(stage.base), ...own) as Record<string, string>;
  }

  private copy({ flags, text }: Instruction, root: string, workdir: string): void {
    const paths = text.split(/\s+/);
    const target = paths.pop() ?? '';
    const destination = target.startsWith('/') ? join(root, target) : join(root, workdir, target);
    const from = flags.from ? this.build(flags.from) : this.context;
    const admits = flags.from ? () => true : this.ignoreRules();
    for (const path of paths) {
      const source = join(from, path);
      if (!existsSync(source)) throw new Error(`COPY finds no ${path} in ${flags.from ?? 'the context'}`);
      // A folder's content is copied, a file goes into a target that ends with a slash.
      const isInto = !statSync(source).isDirectory() && (target.endsWith('/') || paths.length > 1);
      const place = isInto ? join(destination, basename(path)) : destination;
      mkdirSync(dirname(place), { recursive: true });
      cpSync(source, place, {
        recursive: true,
        verbatimSymlinks: true,
        filter: (each) => admits(relative(from, each)),
      });
    }
  }

  /** .dockerignore: the last rule that matches decides. */
  private ignoreRules(): (path: string) => boolean {
    const lines = readFileSync(join(this.context, '.dockerignore'), 'utf8').split('\n');
    const rules = lines.filter((line) => line !== '' && !line.startsWith('#'));
    return (path) => {
      const last = rules.findLast((rule) => {
        const pattern = rule.replace(/^!/, '');
        return matchesGlob(path, pattern) || matchesGlob(path, `${pattern}/**`);
      });
      return last === undefined || last.startsWith('!');
    };
  }

  private run(command: string, root: string, workdir: string, stage: Stage): void {
    // This machine is not changed.
    if (packagesIn(command)) return;
    if (command.includes('apt-get'))
      throw new Error(`Packages are installed in one way, and this is another: ${command}`);
    // The image's users do not exist here.
    const here = command.replace(IMAGE_FOLDERS, `${root}/$1`).replace(/chown node:node \S+/g, 'true');
    const inherited = Object.entries(process.env).filter(([key]) => !key.startsWith('npm_') && key !== 'NODE_OPTIONS');
    const env = { ...Object.fromEntries(inherited), ...this.environmentOf(stage.name), TURBO_TELEMETRY_DISABLED: '1' };
    // `npm test` puts this project's own programs first; an image has only its own.
    const path = `${dirname(process.execPath)}:${(process.env.PATH ?? '')
      .split(':')
      .filter((each) => !each.includes('node_modules'))
      .join(':')}`;
    try {
      execFileSync('/bin/sh', ['-ec', here], { cwd: join(root, workdir), env: { ...env, PATH: path }, stdio: 'pipe' });
    } catch (error) {
      const { stdout, stderr } = error as { stdout?: Buffer; stderr?: Buffer };
      throw new Error(
        `RUN failed in ${stage.name}: ${command}\n${String(stdout).slice(-3_000)}${String(stderr).slice(-3_000)}`,
        { cause: error },
      );
    }
  }
}

/** All files below a folder that match, relative to it. */
export function filesBelow(folder: string, pattern: string): string[] {
  return globSync(pattern, { cwd: folder });
}
