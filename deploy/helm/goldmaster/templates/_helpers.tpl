{{- define "goldmaster.pod" -}}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  seccompProfile: { type: RuntimeDefault }
# A stop takes up to ten seconds, after the five in which no new requests are sent here any more.
terminationGracePeriodSeconds: 20
volumes:
  - { name: tmp, emptyDir: {} }
{{- end }}

{{- define "goldmaster.container" -}}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: tmp, mountPath: /tmp }
envFrom:
  - secretRef: { name: {{ .Values.secretName }} }
env:
  - { name: BASE_URL, value: {{ .Values.baseUrl | quote }} }
  {{- range $name, $value := .Values.env }}
  - { name: {{ $name }}, value: {{ $value | quote }} }
  {{- end }}
{{- end }}
