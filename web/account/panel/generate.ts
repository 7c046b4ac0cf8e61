import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { CallError } from '#contract/client'
import { call } from '../../app/api.ts'
import { useTranslation } from '../../app/i18n.ts'
import type { Session } from '../../app/session.ts'
import { toast } from '../../app/toast.ts'
import { saveFile } from '../save-file.ts'
import { getProxyInput, maxShownLines, splitLines } from './lines.ts'
import type { Format, Protocol, Settings } from './settings.ts'

export interface Result {
  lines: string[]
  format: Format
  protocol: Protocol
}

/** Gives the lines to the browser as the file proxies.txt. */
export function downloadLines(lines: string[]): void {
  saveFile('proxies.txt', `${lines.join('\n')}\n`, 'text/plain')
}

/** Asks for lines: up to 20 to be shown, more go straight into a file. */
export function useGenerate(user: Session) {
  const { t } = useTranslation('userPanel')
  const [result, setResult] = useState<Result | null>(null)
  const mutation = useMutation({
    mutationFn: async (settings: Settings) => splitLines(await call('get_proxy', getProxyInput(settings))),
    onSuccess(lines, settings) {
      if (lines.length === 0) {
        toast.error(t('result.empty'))
      } else if (lines.length > maxShownLines) {
        downloadLines(lines)
        toast.success(t('result.ready'))
      } else {
        setResult({ lines, format: settings.access_format, protocol: settings.protocol })
      }
    },
    onError(error) {
      if (error instanceof CallError && error.status === 401) return
      toast.error(error instanceof CallError && error.message !== '' ? error.message : t('faults.proxy'))
    },
  })
  const generate = (settings: Settings) => {
    // A pool that was never bought has no login to put into a line.
    if (user[settings.pool].password === null) toast.info(t('faults.subuser'))
    else mutation.mutate(settings)
  }
  return { generate, pending: mutation.isPending, result, closeResult: () => setResult(null) }
}
