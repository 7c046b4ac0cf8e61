import { read, readPeriod } from '../call.ts'

/** Margin: what used traffic earned less what it cost. */
export const marginDeskWire = {
  margin_report: readPeriod({ needs: 'reports.read', masked: [], file: true }),
  exit_margins: read({ needs: 'reports.read', masked: [], file: false }),
}
