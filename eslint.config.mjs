import eslint from '@eslint/js';
import prettier from 'eslint-config-prettier';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

const tests = ['**/*.spec.ts', '**/test/**/*.ts', 'packages/testing/**/*.ts'];

/** Rejects focused tests, because no other tests run beside them, and tests that are skipped without a condition. */
const restrictedTestSyntax = [
  {
    selector: "MemberExpression[object.name=/^(describe|it|test)$/][property.name='only']",
    message: 'Do not commit focused tests: no other tests of the suite run beside them.',
  },
  {
    selector: 'CallExpression[callee.name=/^(fit|fdescribe|xit|xtest|xdescribe)$/]',
    message: 'Do not commit focused or disabled tests.',
  },
  {
    selector:
      ':not(IfStatement > BlockStatement > ExpressionStatement) > CallExpression[callee.object.name=/^(describe|it|test)$/][callee.property.name=/^(skip|todo)$/]',
    message: 'Skip a test only under a condition (an unavailable service), never permanently.',
  },
];

/** Rejects SQL statements in string literals outside *.sql.ts files. */
const rawStatements = [
  {
    selector:
      'TemplateElement[value.raw=/^\\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH)\\s/i], Literal[value=/^\\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM) [^ ]/]',
    message:
      'Put a raw SQL statement into a *.sql.ts file beside its repository, with the reason why TypeORM is not used.',
  },
];

const restrictedSyntax = [
  {
    selector:
      "CallExpression:matches([callee.object.name='logger'], [callee.object.property.name='logger'])[arguments.0.type=/^(TemplateLiteral|BinaryExpression)$/]",
    message: 'A log message must be constant; put variable data into fields.',
  },
  {
    selector: "CallExpression[callee.name='forwardRef']",
    message: 'Break the circular dependency instead (style, rule 10).',
  },
  { selector: 'ExportAllDeclaration', message: 'No barrel files: import the declaring file (style, rule 10).' },
];

/** The retired words of docs/glossary.md, which must not be part of a name. */
const retiredWords =
  'anew asker befriended buried bury door doors endings film forgotten grownup hearer hears household janitor judge judged judgement keeper knock somebody speaker tell tells trash turnstile verdict wearer whereabouts whoever';

/** Pattern of names in camelCase, PascalCase and CONSTANT_CASE that contain a retired word. */
const retiredName = retiredWords
  .split(' ')
  .map((word) => {
    const capitalized = word[0].toUpperCase() + word.slice(1);
    return `(^${word}|${capitalized})(?![a-z])|(^|_)${word.toUpperCase()}(_|$)`;
  })
  .join('|');

const retiredNames = [
  ':matches(FunctionDeclaration, ClassDeclaration, TSInterfaceDeclaration, TSTypeAliasDeclaration, VariableDeclarator) > Identifier.id',
  ':matches(MethodDefinition, PropertyDefinition, TSPropertySignature, TSMethodSignature) > Identifier.key',
  ':function > Identifier.params',
].map((selector) => ({
  selector: `${selector}[name=/${retiredName}/]`,
  message: 'This name contains a retired word. Use the term of docs/glossary.md.',
}));

export default defineConfig(
  globalIgnores(['**/dist/', '**/.turbo/', '**/.data/', 'packages/client/src/generated/']),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  eslint.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.strictTypeChecked],
    // One TypeScript program for the whole tree is a third faster than one per workspace (`projectService`).
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.json', './apps/console/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      'no-console': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-restricted-syntax': ['error', ...restrictedSyntax, ...retiredNames],
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '^\\.{1,2}/.*(?<!\\.(js|json|css)|\\?worker&url)$',
              message: 'Relative imports must name the file with its .js extension.',
            },
            { regex: '^(\\.|@family-watch/).*/dist/', message: 'Import the source, not the build output.' },
            {
              regex: '^(?!node:)(fs|path|crypto|http|https|net|os|url|util|stream|events)(/|$)',
              message: 'Use the node: prefix.',
            },
          ],
        },
      ],
      // consistent-type-imports ignores files with decorators, whose constructor types Nest needs at runtime.
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
      // TypeORM and Nest read decorator metadata, which only a type annotation produces.
      '@typescript-eslint/prefer-as-const': 'off',
      // DTOs and entities are plain data: any object of the same shape is valid.
      '@typescript-eslint/no-misused-spread': 'off',
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // The return type of listeners is `void | Promise<void>`.
      '@typescript-eslint/no-invalid-void-type': 'off',
      // no-unnecessary-condition does not recognize that a field may change during an await.
      '@typescript-eslint/no-unnecessary-condition': 'off',
      // An `async` method of a port rejects instead of throwing, even if it awaits nothing.
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    files: tests,
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/unbound-method': 'off',
      'no-restricted-syntax': ['error', ...restrictedSyntax, ...restrictedTestSyntax, ...retiredNames],
    },
  },
  {
    files: ['apps/{userctx,mcdisk,gateway}/src/contexts/**/*.ts'],
    ignores: ['**/*.sql.ts', ...tests],
    rules: {
      'no-restricted-syntax': ['error', ...restrictedSyntax, ...retiredNames, ...rawStatements],
    },
  },
  // TanStack Router redirects by throwing the object that `redirect` returns.
  {
    files: ['apps/console/src/**'],
    rules: {
      '@typescript-eslint/only-throw-error': [
        'error',
        { allow: [{ from: 'package', package: '@tanstack/router-core', name: 'Redirect' }] },
      ],
    },
  },
  // Names of migrations that have been shipped do not change.
  { files: ['**/*.migration.ts'], rules: { 'no-restricted-syntax': ['error', ...restrictedSyntax] } },
  // Programs of the command line write to the console.

  { files: ['apps/*/src/{main,migrate}.ts', 'apps/simulator/src/**'], rules: { 'no-console': 'off' } },
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
