/** `turnpike upgrade --check`: whether this release can run the shop, checked before it is installed. */
import { type Command, Option } from 'commander'
import { version } from '../cli/version.ts'
import { CommandFault } from '../commands/terminal/command.ts'
import { sourceInUse } from '../settings/settings.source.ts'
import { readSettings } from '../settings/settings.ts'
import { type Finding, settingsFinding, shopFindings } from './checks.ts'

/** The exit statuses of `turnpike upgrade --check`, for scripts. */
const exitCodes = { ok: 0, wrong: 1, look: 2 } as const

export function upgradeCommand(turnpike: Command): void {
  turnpike
    .command('rollback')
    .description(
      'install the release before this one again, on a machine that ops/install.sh set up; as root',
    )
    .action(() => {
      // bin/turnpike executes a rollback itself, before it starts Node.js.
      throw new CommandFault('This is no installed release: there is nothing to go back to.')
    })
  turnpike
    .command('upgrade')
    .description(
      'check whether this release can run on the data of the shop; ops/install.sh of the release then installs it',
    )
    .requiredOption('--check', 'change nothing: check migrations, settings, disk space and the last backup')
    .option('--backups <folder>', 'where backups are', '/var/backups/turnpike')
    .addOption(new Option('--json', 'print the result as JSON'))
    .addHelpText(
      'after',
      '\nEnds with 0 when nothing is in the way, with 2 when something is for a person to judge, with 1 when it would fail.',
    )
    .action(async ({ backups, json }: { backups: string; json?: boolean }) => {
      const source = sourceInUse()
      const cwd = process.cwd()
      const findings = [
        settingsFinding(source, cwd),
        ...(await shopFindings(readSettings(source.env, cwd), { folder: backups, now: new Date() })),
      ]
      const worst = worstOf(findings)
      if (json === true) print(JSON.stringify({ version, outcome: worst, findings }))
      else {
        for (const { name, state, sentence } of findings) print(`${state.padEnd(5)}  ${name}: ${sentence}`)
        print(closing[worst])
      }
      process.exitCode = exitCodes[worst]
    })
}

const closing = {
  ok: `Turnpike ${version} can take over.`,
  look: `Turnpike ${version} can take over, once you have looked at the above.`,
  wrong: `Turnpike ${version} cannot take over yet.`,
}

const worstOf = (findings: readonly Finding[]) =>
  (['wrong', 'look'] as const).find((state) => findings.some((finding) => finding.state === state)) ?? 'ok'

const print = (line: string) => void process.stdout.write(`${line}\n`)
