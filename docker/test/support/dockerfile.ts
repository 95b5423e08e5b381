/** An instruction of a Dockerfile; `flags` are its `--name=value` options. */
export interface Instruction {
  name: string;
  flags: Readonly<Record<string, string>>;
  text: string;
}

export interface Stage {
  name: string;
  /** Image or stage that this stage is based on. */
  base: string;
  instructions: Instruction[];
}

/** Parses the stages of a Dockerfile, each of which must have a name. */
export function parseDockerfile(text: string): Stage[] {
  const stages: Stage[] = [];
  const lines = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll('\\\n', ' ')
    .split('\n');
  for (const line of lines.filter((each) => each.trim() !== '')) {
    const instruction = parseInstruction(line);
    if (instruction.name !== 'FROM') {
      const stage = stages.at(-1);
      if (!stage) throw new Error(`${instruction.name} occurs before the first FROM`);
      stage.instructions.push(instruction);
      continue;
    }
    const [base, as, name] = instruction.text.split(/\s+/);
    if (!base || as?.toUpperCase() !== 'AS' || !name) throw new Error(`The stage has no name: ${line}`);
    stages.push({ name, base, instructions: [] });
  }
  return stages;
}

/** Returns the last value of an instruction in a stage or in the stages on which this stage is based. */
export function lastInstructionValue(stages: readonly Stage[], stageName: string, name: string): string | undefined {
  const stage = stages.find((each) => each.name === stageName);
  if (!stage) return undefined;
  return (
    stage.instructions.findLast((each) => each.name === name)?.text ?? lastInstructionValue(stages, stage.base, name)
  );
}

const INSTALL_COMMAND =
  /^apt-get update && apt-get install --yes --no-install-recommends ([\w. +-]+) && rm -rf \/var\/lib\/apt\/lists\/\*$/;

/** Returns the Debian packages that a RUN command installs; `undefined` for other commands. */
export function installedPackages(command: string): string[] | undefined {
  return INSTALL_COMMAND.exec(command)?.[1]?.split(' ');
}

/** Returns the Debian packages of a stage and of the stages on which this stage is based. */
export function packagesOfStage(stages: readonly Stage[], stageName: string): string[] {
  const stage = stages.find((each) => each.name === stageName);
  if (!stage) return [];
  const own = stage.instructions
    .filter(({ name }) => name === 'RUN')
    .flatMap(({ text }) => installedPackages(text) ?? []);
  return [...packagesOfStage(stages, stage.base), ...own];
}

/** Parses the pairs `A=1 B="two words"` of the instructions ENV and LABEL. */
export function parsePairs(text: string): Record<string, string> {
  const pairs = text.matchAll(/([\w.]+)=(?:"([^"]*)"|(\S*))/g);
  return Object.fromEntries([...pairs].map(([, key = '', quoted, plain = '']) => [key, quoted ?? plain]));
}

function parseInstruction(line: string): Instruction {
  const [, name = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line.trim()) ?? [];
  const flags: Record<string, string> = {};
  const text = rest.replace(/--([\w-]+)=(\S+)\s+/gy, (_, flag: string, value: string) => {
    flags[flag] = value;
    return '';
  });
  return { name: name.toUpperCase(), flags, text };
}
