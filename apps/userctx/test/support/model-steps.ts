import fc from 'fast-check';

/** A step of a model test, such as a request, which changes the service under test and the model in the same way. */
export interface Step<Model, Real> {
  /** What the step does, for the report of a failure. */
  name: string;
  /** Whether the step is possible in this state of the model; by default always. */
  canRun?: (model: Readonly<Model>) => boolean;
  run: (model: Model, real: Real) => Promise<void>;
}

/** Generates sequences of steps. After each step, `check` compares the service under test with the model. */
export function sequencesOf<Model extends object, Real>(
  steps: fc.Arbitrary<Step<Model, Real>>[],
  maxCommands: number,
  check: (model: Model, real: Real) => Promise<void>,
) {
  const commands = steps.map((step) =>
    step.map(({ name, canRun = () => true, run }) => ({
      check: canRun,
      toString: () => name,
      run: async (model: Model, real: Real) => {
        await run(model, real);
        await check(model, real);
      },
    })),
  );
  return fc.commands(commands, { maxCommands, size: 'max' });
}
