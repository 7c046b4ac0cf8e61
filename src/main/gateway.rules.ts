/** What the operator has written about targets, checked before a worker is started that could not read it. */
import { parseAllow, parseDeny } from '#gateway'
import { type GatewaySettings, SettingFault } from './settings.ts'

function check(name: string, read: () => unknown): void {
  try {
    read()
  } catch (fault) {
    throw new SettingFault(`${name}: ${fault instanceof Error ? fault.message : String(fault)}.`)
  }
}

/** Refuses with a sentence that names the setting and the part of it that is wrong. */
export function checkTargetRules({ allow, deny }: Pick<GatewaySettings, 'allow' | 'deny'>): void {
  check('GATEWAY_ALLOW', () => allow.forEach(parseAllow))
  check('GATEWAY_DENY', () => parseDeny(deny))
}
