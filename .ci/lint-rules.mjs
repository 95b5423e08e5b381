/** Rule that reports each node which matches one of the selectors (https://eslint.org/docs/latest/extend/selectors). */
function restrictSyntax(message, ...selectors) {
  return {
    create(context) {
      const report = (node) => context.report({ node, message });
      return Object.fromEntries(selectors.map((selector) => [selector, report]));
    },
  };
}

/** Rule that reports each import and export of a module whose specifier matches the pattern. */
function restrictImports(message, pattern) {
  return restrictSyntax(message, `:matches(ImportDeclaration, ExportNamedDeclaration)[source.value=/${pattern}/]`);
}

/**
 * Rule that reports imports which are used only as types but not marked so: they load a module for nothing. Files with
 * decorators are exempt, because Nest and TypeORM read the types of decorated members at run time.
 */
const typeOnlyImport = {
  create(context) {
    const specifiers = [];
    let hasDecorators = false;
    return {
      Decorator: () => void (hasDecorators = true),
      "ImportDeclaration[importKind='value'] > *[importKind!='type']": (node) => specifiers.push(node),
      'Program:exit'() {
        if (hasDecorators) return;
        for (const node of specifiers)
          for (const { name, references } of context.sourceCode.getDeclaredVariables(node))
            if (references.length > 0 && references.every(({ isTypeReference }) => isTypeReference))
              context.report({ node, message: `${name} is used only as a type: import it with \`import type\`.` });
      },
    };
  },
};

const MIN_STATEMENT_FILE_LINES = 100;

/** Rule that reports a file of statements that is too short to be apart from its repository. */
const shortStatementFile = {
  create(context) {
    return {
      'Program:exit'(node) {
        if (context.sourceCode.lines.length > MIN_STATEMENT_FILE_LINES) return;
        const message = `Put statements of at most ${MIN_STATEMENT_FILE_LINES} lines into the repository that uses them.`;
        context.report({ node, message });
      },
    };
  },
};

/**
 * The project's own rules of oxlint, which loads them by .oxlintrc.json.
 *
 * @public
 */
export default {
  meta: { name: 'family-watch' },
  rules: {
    'constant-log-message': restrictSyntax(
      'A log message must be constant; put variable data into fields.',
      "CallExpression:matches([callee.object.name='logger'], [callee.object.property.name='logger'])[arguments.0.type=/^(TemplateLiteral|BinaryExpression)$/]",
    ),
    'file-extension-of-import': restrictImports(
      'Relative imports must name the file with its .js extension.',
      '^\\.{1,2}\\/.*(?<!\\.(js|json|css)|\\?worker&url)$',
    ),
    'no-build-output-import': restrictImports(
      'Import the source, not the build output.',
      '^(\\.|@family-watch\\/).*\\/dist\\/',
    ),
    'node-prefix-of-import': restrictImports(
      'Use the node: prefix.',
      '^(fs|path|crypto|http|https|net|os|url|util|stream|events)(\\/|$)',
    ),
    'no-forward-ref': restrictSyntax(
      'Break the circular dependency instead (style, rule 10).',
      "CallExpression[callee.name='forwardRef']",
    ),
    'no-barrel-file': restrictSyntax(
      'No barrel files: import the declaring file (style, rule 10).',
      'ExportAllDeclaration',
    ),
    'no-focused-test': restrictSyntax(
      'Do not commit focused or disabled tests: no other tests of the suite run beside focused ones.',
      "MemberExpression[object.name=/^(describe|it|test)$/][property.name='only']",
      'CallExpression[callee.name=/^(fit|fdescribe|xit|xtest|xdescribe)$/]',
    ),
    'declared-needs': restrictSyntax(
      'Declare what a suite needs of the machine with `needs` (docs/testing.md), which skips it with the reason.',
      'MemberExpression[object.name=/^(describe|it|test)$/][property.name=/^(skip|todo)$/]',
      'Literal[value=/^\\u002fusr\\u002f(local\\u002f)?s?bin\\u002f(nginx|chromium|google-chrome|turnserver|ffmpeg|prometheus|promtool|swift|nats-server)/]',
    ),
    'declared-deployments': restrictSyntax(
      'Use describeBothDeployments and its like: a distributed deployment needs NATS and nginx.',
      "CallExpression[callee.object.name=/^(describe|it|test)$/][callee.property.name='each'] > ArrayExpression > Literal[value='distributed']",
    ),
    'fast-suite-without-needs': restrictImports(
      'A suite that needs more than Node is named *.slow.spec.ts (docs/testing.md).',
      'requirements.needs$|support.deployments\\.js$',
    ),
    'no-raw-statement': restrictSyntax(
      'Put a raw SQL statement into the repository that uses it, or into its *.sql.ts file above 100 lines.',
      'TemplateElement[value.raw=/^\\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH)\\s/i]',
      'Literal[value=/^\\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM) [^ ]/]',
    ),
    'no-short-statement-file': shortStatementFile,
    'type-only-import': typeOnlyImport,
  },
};
