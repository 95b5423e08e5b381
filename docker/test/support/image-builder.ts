import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, matchesGlob, relative } from 'node:path';
import { installedPackages, parsePairs, type Instruction, type Stage } from './dockerfile.js';

/** Absolute paths in commands of the Dockerfile, which are mapped to the stage's directory. */
const IMAGE_PATHS = /(?<![\w./-])\/(service|part|dist|documents|data|backups|srv|etc\/nginx)(?=[/\s]|$)/g;

/**
 * Builds the stages of a Dockerfile without a container engine: each stage is a directory, COPY copies files and RUN
 * runs commands. The builder does not cover base images, their users and packages, and isolation from this machine.
 */
export class ImageBuilder {
  private readonly builtRoots = new Map<string, string>();

  constructor(
    private readonly stages: readonly Stage[],
    private readonly context: string,
    private readonly directory: string,
  ) {}

  /** Builds a stage once. Returns the root directory of the stage's image. */
  build(name: string): string {
    const existing = this.builtRoots.get(name);
    if (existing) return existing;
    const stage = this.stages.find((each) => each.name === name);
    const root = join(this.directory, name);
    if (!stage) {
      // A base image is an empty directory.
      mkdirSync(join(this.directory, 'scratch'), { recursive: true });
      return join(this.directory, 'scratch');
    }
    execFileSync('cp', ['-a', this.build(stage.base), root]);
    let workdir = this.workdirOf(stage.base);
    for (const instruction of stage.instructions) {
      if (instruction.name === 'WORKDIR') workdir = instruction.text;
      mkdirSync(join(root, workdir), { recursive: true });
      if (instruction.name === 'COPY') this.copy(instruction, root, workdir);
      if (instruction.name === 'RUN') this.run(instruction.text, root, workdir, stage);
    }
    this.builtRoots.set(name, root);
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
    const isIncluded = flags.from ? () => true : readIgnoreRules(this.context);
    for (const path of paths) {
      const source = join(from, path);
      if (!isIncluded(path)) throw new Error(`COPY: .dockerignore excludes ${path}`);
      if (!existsSync(source)) throw new Error(`COPY: ${path} does not exist in ${flags.from ?? 'the context'}`);
      // COPY copies the content of a directory; a file is copied into a target that ends with a slash.
      const isInto = !statSync(source).isDirectory() && (target.endsWith('/') || paths.length > 1);
      const copyTarget = isInto ? join(destination, basename(path)) : destination;
      mkdirSync(dirname(copyTarget), { recursive: true });
      cpSync(source, copyTarget, {
        recursive: true,
        verbatimSymlinks: true,
        filter: (each) => isIncluded(relative(from, each)),
      });
    }
  }

  private run(command: string, root: string, workdir: string, stage: Stage): void {
    // Skips the installation of packages, which would change this machine.
    if (installedPackages(command)) return;
    if (command.includes('apt-get')) throw new Error(`Unexpected form of package installation: ${command}`);
    // The users of the image do not exist on this machine.
    const localCommand = command.replace(IMAGE_PATHS, `${root}/$1`).replace(/chown node:node \S+/g, 'true');
    const inherited = Object.entries(process.env).filter(([key]) => !key.startsWith('npm_') && key !== 'NODE_OPTIONS');
    const env = { ...Object.fromEntries(inherited), ...this.environmentOf(stage.name), TURBO_TELEMETRY_DISABLED: '1' };
    // Removes node_modules/.bin of this project, which `npm test` adds to PATH and images do not contain.
    const path = `${dirname(process.execPath)}:${(process.env.PATH ?? '')
      .split(':')
      .filter((each) => !each.includes('node_modules'))
      .join(':')}`;
    try {
      execFileSync('/bin/sh', ['-ec', localCommand], {
        cwd: join(root, workdir),
        env: { ...env, PATH: path },
        stdio: 'pipe',
      });
    } catch (error) {
      const { stdout, stderr } = error as { stdout?: Buffer; stderr?: Buffer };
      throw new Error(
        `RUN failed in ${stage.name}: ${command}\n${String(stdout).slice(-3_000)}${String(stderr).slice(-3_000)}`,
        { cause: error },
      );
    }
  }
}

/** Returns the paths of all files in a directory that match the pattern, relative to the directory. */
export function filesBelow(directory: string, pattern: string): string[] {
  return globSync(pattern, { cwd: directory });
}

/** Returns whether .dockerignore sends a path of the context to the build; the last matching rule applies. */
export function readIgnoreRules(context: string): (path: string) => boolean {
  const lines = readFileSync(join(context, '.dockerignore'), 'utf8').split('\n');
  const rules = lines.filter((line) => line !== '' && !line.startsWith('#'));
  return (path) => {
    const last = rules.findLast((rule) => {
      const pattern = rule.replace(/^!/, '');
      return matchesGlob(path, pattern) || matchesGlob(path, `${pattern}/**`);
    });
    return last === undefined || last.startsWith('!');
  };
}
