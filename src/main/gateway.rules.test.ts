import { expect, it } from 'vitest'
import { checkTargetRules } from './gateway.rules.ts'
import { readSettings, SettingFault } from './settings.ts'

const check = (env: Record<string, string>) => checkTargetRules(readSettings(env, '/srv/shop'))

it('what is written about targets is read before anything is started', () => {
  check({})
  check({
    GATEWAY_ALLOW: 'localhost:8080, 10.0.0.0/8',
    GATEWAY_DENY: '22, 6881-6889, *.example.org, fc00::/7',
  })
})

it.each([
  ['GATEWAY_ALLOW: "http://a" is no host', { GATEWAY_ALLOW: 'localhost, http://a' }],
  ['GATEWAY_DENY: "0" is no port', { GATEWAY_DENY: '0' }],
  ['GATEWAY_DENY: "a:80" is no port', { GATEWAY_DENY: '22,a:80' }],
])('%s is said in a sentence', (sentence, env) => {
  expect(() => check(env)).toThrow(SettingFault)
  expect(() => check(env)).toThrow(sentence)
})
