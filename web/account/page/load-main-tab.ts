import type { Namespace } from '../../state/i18n.ts'

/** The code of the overview, which a visit to the account fetches beside that of the frame around it. */
export const loadMainTab = () => import('../main/main-tab.tsx')

export const textsOfMainTab: readonly Namespace[] = ['requests', 'gatewayRefusals']
