/** What to paste where. Without a token, as long as none was just made, its place is marked. */
export const guideOf = (site: string, token = 'TOKEN') => `## UnrealGameSync.ini

In the project's \`Build/UnrealGameSync.ini\`, or in \`Engine/Programs/UnrealGameSync/UnrealGameSync.ini\` for all projects of the stream; submit it, and clients have it with their next sync:

\`\`\`ini
[Default]
ApiUrl=${site}/ugs/${token}
\`\`\`

Clients that send a user name and a password take \`${site}/ugs\` with the token as the password, whatever the name.

Builds that report a changelist and a stream to this project are badges by themselves, named by their job. What follows is for badges that a CI posts itself.

## PostBadgeStatus

\`-Project\` is the folder of the \`.uproject\`, or the stream for all projects in it:

\`\`\`bat
PostBadgeStatus.exe -Name=Editor -Change=12345 -Project=//depot/stream/Game -Status=Success -Url=https://ci.example.com/1 ^
  -RestUrl=${site}/ugs/${token}
\`\`\`

## Jenkins

The plugin *unreal-game-sync-badges* prints the address it posts to, so the token goes into a credential: a **Secret text** with the id \`goldmaster-ugs\` and this value:

\`\`\`
ci:${token}
\`\`\`

\`\`\`groovy
postUGSBadge apiUrl: '${site}/ugs', credentialId: 'goldmaster-ugs', project: '//depot/stream/Game',
  changelist: env.P4_CHANGELIST.toInteger(), name: 'Editor', result: 'SUCCESS', url: env.BUILD_URL
\`\`\`

## TeamCity

The plugin *ugs-status-publisher* is a **Commit status publisher**; the password is the token, as a secure value:

\`\`\`kotlin
commitStatusPublisher {
    param("publisherId", "ugs")
    param("ugsServerUrl", "${site}/ugs")
    param("ugsAuthUser", "ci")
    param("secure:ugsAuthPassword", "${token}")
    param("ugsProject", "//depot/stream/Game")
    param("ugsBadgeName", "Editor")
}
\`\`\`

## Many clients behind one address

Every client polls twice a minute, and requests are counted by address: 300 in five minutes unless the operator says otherwise. For a studio behind one address the operator raises \`LIMIT_REQUESTS_PER_IP\` to thirty for each client, \`30000/5m\` for a thousand of them. \`LIMIT_UGS\` counts by token and has room for that.
`
