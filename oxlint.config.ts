import { readFileSync } from 'node:fs'
import { defineConfig } from 'oxlint'
import { importRules } from './boundaries.ts'

const manifest = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as {
  imports: Record<string, string>
}

const boundaries = importRules(Object.keys(manifest.imports)).map(({ files, forbidden }) => {
  const restricted: ['error', object] = ['error', { patterns: forbidden }]
  return { files, rules: { 'no-restricted-imports': restricted } }
})

export default defineConfig({
  plugins: ['typescript', 'import', 'unicorn', 'oxc', 'react', 'vitest'],
  // The rules that know types have compiled each file anyway: its type errors are reported with them.
  options: { typeAware: true, typeCheck: true },
  categories: { correctness: 'error' },
  ignorePatterns: ['dist', 'data', '.cache', 'src/db/schema.ts', 'test/golden/answers'],
  rules: {
    // `== null` means null or undefined, and says it shortest.
    eqeqeq: ['error', 'always', { null: 'ignore' }],
    'no-console': 'error',
    'no-var': 'error',
    'prefer-const': 'error',
    'max-lines': ['error', { max: 400 }],
    'max-lines-per-function': ['error', { max: 70, skipComments: true, skipBlankLines: true }],
    'typescript/no-explicit-any': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
    'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    'typescript/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
    'typescript/no-misused-spread': 'off',
    'typescript/unbound-method': 'off',
    'typescript/ban-ts-comment': 'error',
    'import/no-cycle': 'error',
    'react/rules-of-hooks': 'error',
    'react/exhaustive-deps': 'error',
    // These three speak for the React compiler, which this project does not use.
    'react/incompatible-library': 'off',
    'react/immutability': 'off',
    'react/set-state-in-effect': 'off',
    // A second argument of expect() says which case of a loop failed; a loop may also choose what it expects.
    'vitest/valid-expect': ['error', { maxArgs: 2 }],
    'vitest/no-conditional-expect': 'off',
    'vitest/expect-expect': 'off',
    'vitest/no-standalone-expect': 'off',
    'vitest/no-conditional-tests': 'off',
    'vitest/no-focused-tests': 'error',
    'vitest/no-disabled-tests': 'error',
  },
  overrides: [
    { files: ['src/main/**', 'bootstrap/**', 'bench/**'], rules: { 'no-console': 'off' } },
    {
      files: ['**/*.tsx'],
      rules: { 'max-lines-per-function': ['error', { max: 120, skipComments: true, skipBlankLines: true }] },
    },
    {
      files: ['web/ui/**'],
      rules: { 'no-restricted-globals': ['error', 'fetch', 'XMLHttpRequest', 'WebSocket', 'EventSource'] },
    },
    {
      files: ['**/*.test.{ts,tsx}', '**/testing.ts', 'bootstrap/fixture.ts', 'test/**', 'bench/**'],
      rules: { 'max-lines': 'off', 'max-lines-per-function': 'off' },
    },
    ...boundaries,
  ],
})
