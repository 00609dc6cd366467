import { LEASES } from '../../db/queue.ts'
import * as queue from '../../domain/channels/message-queue.ts'
import { readOutbox } from '../../domain/notifications/outbox-readers.ts'
import { type Lanes, startLanes } from '../lanes.ts'
import { type ChannelContext, runChannelWorker } from './channel-worker.ts'

/** Tells chat channels and people what concerns them, until stopped. */
export const startChannels = (context: ChannelContext): Lanes =>
  startLanes(context, {
    name: 'channel',
    lease: LEASES.channels,
    fill: () => readOutbox(context.db, context),
    due: (lanes) => queue.due(context.db, lanes),
    run: (lane) => runChannelWorker(context, lane),
    close: () => {},
  })
