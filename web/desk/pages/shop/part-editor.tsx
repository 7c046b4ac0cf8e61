import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { CallError } from '#contract/transport'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Fault } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { UnsavedDialog } from '../../parts/unsaved-dialog.tsx'
import { call, query, queryClient, refreshAll } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import { type Editor, faultOf } from './editor.tsx'
import { PartFields } from './part-fields.tsx'
import type { Part, ShopContent } from './content.parts.ts'
import { Preview } from './preview.tsx'
import styles from './shop.module.css'

type Act = 'save' | 'publish' | 'discard' | 'undo'

/** The draft and the published version that the member looks at; null: there is none. */
interface Shown {
  draft: string | null
  seen: string | null
}

const shownOf = ({ drafts, versions }: ShopContent, part: Part): Shown => ({
  draft: drafts[part]?.version ?? null,
  seen: versions.find((each) => each.part === part)?.id ?? null,
})

/** The refusals of what another member has changed, discarded or published meanwhile. */
const changedByOthers = new Set(['draft_changed', 'draft_not_found', 'content_changed'])

/** The fields of a part, the draft and the public text, and a preview as customers see it. */
export function PartEditor({ part, content }: { part: Part; content: ShopContent }) {
  const { t } = useTranslation('deskShop')
  const mayChange = useMay()('publish_content')
  const published = content.parts[part]
  const draft = content.drafts[part]
  const shown = shownOf(content, part)
  /**
   * Typed text that is not stored yet, and what it was typed over: the page may read a newer draft meanwhile,
   * which the member does not see. Null: none.
   */
  const [typed, setTyped] = useState<{ value: unknown; over: Shown } | null>(null)
  /** The version before the one just published, and that one; null: nothing to undo. */
  const [undoable, setUndoable] = useState<{ before: string; seen: string } | null>(null)
  const value = typed?.value ?? draft?.value ?? published
  const act = useMutation({
    mutationFn: async (what: Act) => {
      if (what === 'undo' && undoable !== null)
        await call('restore_content', { id: undoable.before, seen: undoable.seen })
      if (what === 'discard' && shown.draft !== null)
        await call('discard_draft', { part, draft: shown.draft })
      if (what === 'discard' || what === 'undo') return null
      let { draft: version, seen } = shown
      if (typed !== null) {
        const text = typed.value as Record<string, unknown>
        version = (await call('save_draft', { part, value: text, draft: typed.over.draft })).version
        seen = typed.over.seen
        // When the publication is refused, the typed text is the draft.
        const over = { draft: version, seen }
        setTyped((kept) => kept && { ...kept, over })
      }
      if (what === 'save' || version === null) return null
      return (await call('publish_content', { part, seen, draft: version })).id
    },
    onSuccess: async (made, what) => {
      if (what === 'publish' && made !== null)
        setUndoable({ before: await versionBefore(part, made), seen: made })
      else if (what !== 'save') setUndoable(null)
      await refreshAll()
      setTyped(null)
    },
    onError: async (error) => {
      if (!(error instanceof CallError) || !changedByOthers.has(error.code)) return
      await refreshAll()
      const now = queryClient.getQueryData(query('content', {}).queryKey)
      // The typed text stays, over what the others changed.
      if (now !== undefined) setTyped((kept) => kept && { ...kept, over: shownOf(now, part) })
    },
  })
  const setValue = (next: unknown) => setTyped((before) => ({ value: next, over: before?.over ?? shown }))
  const fault = faultOf(act.error, part)
  const editor: Editor = { value, set: setValue, readOnly: !mayChange, fault }
  const isPending = (what: Act) => act.isPending && act.variables === what
  return (
    <div className={styles.editor}>
      <UnsavedDialog isUnsaved={typed !== null && !act.isPending} />
      <div className={styles.bar}>
        <div className={styles.state} role="status">
          {typed !== null ? (
            <Badge tone="warning">{t('shop.unsaved')}</Badge>
          ) : draft === undefined ? (
            <Badge tone="good">{t('shop.published')}</Badge>
          ) : (
            <>
              <Badge tone="warning">{t('shop.draft')}</Badge>
              <span className={styles.quiet}>
                <Moment iso={draft.at} recent />
                <span>{`, ${draft.by}`}</span>
              </span>
            </>
          )}
        </div>
        {mayChange && (
          <div className={styles.acts}>
            {undoable !== null && typed === null && draft === undefined && (
              <Button pending={isPending('undo')} onClick={() => act.mutate('undo')}>
                {t('shop.undo')}
              </Button>
            )}
            {typed !== null && <Button onClick={() => setTyped(null)}>{t('shop.forget')}</Button>}
            {typed === null && draft !== undefined && (
              <Button pending={isPending('discard')} onClick={() => act.mutate('discard')}>
                {t('shop.discard')}
              </Button>
            )}
            <Button disabled={typed === null} pending={isPending('save')} onClick={() => act.mutate('save')}>
              {t('shop.save')}
            </Button>
            <Button
              variant="primary"
              disabled={typed === null && draft === undefined}
              pending={isPending('publish')}
              onClick={() => act.mutate('publish')}
            >
              {t('shop.publish')}
            </Button>
          </div>
        )}
      </div>
      {fault !== null && <Fault text={fault.text} />}
      <div className={styles.columns}>
        <div className={styles.fields}>
          <PartFields part={part} editor={editor} />
        </div>
        <Preview part={part} value={value} />
      </div>
    </div>
  )
}

/**
 * The version before this one. There always is one: the first version of a part is the program's own text.
 */
async function versionBefore(part: Part, id: string): Promise<string> {
  const { rows } = await call('content_versions', { part, after: id, limit: 1 })
  const [before] = rows
  if (before === undefined) throw new Error(`there is no version before ${id}`)
  return before.id
}
