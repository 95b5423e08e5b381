import eslint from '@eslint/js';
import prettier from 'eslint-config-prettier';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

const tests = ['**/*.spec.ts', '**/test/**/*.ts', 'packages/testing/**/*.ts'];

/** A suite left focused hides the others; one may be skipped only where a condition says why. */
const restrictedTestSyntax = [
  {
    selector: "MemberExpression[object.name=/^(describe|it|test)$/][property.name='only']",
    message: 'A focused test hides all others.',
  },
  {
    selector: 'CallExpression[callee.name=/^(fit|fdescribe|xit|xtest|xdescribe)$/]',
    message: 'Focused and switched-off tests are not committed.',
  },
  {
    selector:
      ':not(IfStatement > BlockStatement > ExpressionStatement) > CallExpression[callee.object.name=/^(describe|it|test)$/][callee.property.name=/^(skip|todo)$/]',
    message: 'Skip a test only under a condition (a service that is missing), never for good.',
  },
];

const restrictedSyntax = [
  {
    selector:
      "CallExpression:matches([callee.object.name='logger'], [callee.object.property.name='logger'])[arguments.0.type=/^(TemplateLiteral|BinaryExpression)$/]",
    message: 'A log message is constant; what varies goes to fields.',
  },
  { selector: "CallExpression[callee.name='forwardRef']", message: 'Break the circle instead (style, rule 10).' },
  { selector: 'ExportAllDeclaration', message: 'No barrels: import the file that has what you need (style, rule 10).' },
];

export default defineConfig(
  globalIgnores(['**/dist/', '**/.turbo/', '**/.data/', 'packages/client/src/generated/']),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  eslint.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.strictTypeChecked],
    // One program for the whole tree: a third faster than one for each workspace (`projectService`).
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      'no-console': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-restricted-syntax': ['error', ...restrictedSyntax],
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            { regex: '^\\.{1,2}/.*(?<!\\.(js|json|css))$', message: 'Relative imports name the file, with .js.' },
            { regex: '/dist/', message: 'Import the source, not what was built.' },
            {
              regex: '^(?!node:)(fs|path|crypto|http|https|net|os|url|util|stream|events)(/|$)',
              message: 'Use node:.',
            },
          ],
        },
      ],
      // Files with decorators are left alone by this rule: Nest needs the classes of their constructors at run time.
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'separate-type-imports', disallowTypeAnnotations: false },
      ],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true, allowEmpty: true }],
      '@typescript-eslint/no-meaningless-void-operator': 'off',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { ignoreRestSiblings: true, argsIgnorePattern: '^_', varsIgnorePattern: '^_+$' },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // Metadata of decorators comes from the annotation.
      '@typescript-eslint/prefer-as-const': 'off',
      // DTOs and entities are data: any object of their shape will do.
      '@typescript-eslint/no-misused-spread': 'off',
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // `void | Promise<void>` is what a listener may return.
      '@typescript-eslint/no-invalid-void-type': 'off',
      // Does not see that a field changes while something is awaited.
      '@typescript-eslint/no-unnecessary-condition': 'off',
      // `async` makes a port's method reject instead of throw, whether or not it waits.
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    files: tests,
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/unbound-method': 'off',
      'no-restricted-syntax': ['error', ...restrictedSyntax, ...restrictedTestSyntax],
    },
  },
  // What a program says to whoever started it.
  { files: ['apps/*/src/{main,migrate}.ts', 'apps/simulator/src/**', 'scripts/**'], rules: { 'no-console': 'off' } },
  {
    files: ['**/*.{mjs,cjs,js}'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        module: 'writable',
        require: 'readonly',
        __dirname: 'readonly',
      },
    },
  },
  prettier,
);
