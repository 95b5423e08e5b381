"""A client of the gateway that uses python-socketio, a third-party library.

Executes the commands on standard input and writes what it receives to standard output; both have one JSON object per
line. python-client.spec.ts runs this program.
"""

import json
import sys
import threading
import urllib.request

import socketio

BASE = sys.argv[1]
SIGN_IN = '/apis/v2/userctx/user/account/sign-in'

output_lock = threading.Lock()


def write_output(what, **more):
    with output_lock:
        print(json.dumps({'what': what, **more}), flush=True)


def sign_in(credentials):
    request = urllib.request.Request(
        BASE + SIGN_IN, json.dumps(credentials).encode(), {'Content-Type': 'application/json'}
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)['accessToken']


class Session:
    def __init__(self, token):
        self.token = token
        self.last = None
        self.epoch = None
        self.socket = None

    def connect(self, last=None, epoch=None):
        """Connects with the given cursor, or with the cursor that this process has reached."""
        self.last = self.last if last is None else last
        self.epoch = self.epoch if epoch is None else epoch
        auth = {'token': self.token}
        if self.last is not None:
            auth.update(last=self.last, epoch=self.epoch)
        self.socket = socketio.Client(reconnection=False)
        self.socket.on('hello', self.on_hello)
        self.socket.on('messages', self.on_messages)
        self.socket.on('connect_error', lambda data: write_output('refused', data=data))
        self.socket.on('disconnect', lambda: write_output('disconnected'))
        self.socket.connect(BASE, auth=auth, transports=['websocket'], wait_timeout=10)

    def on_hello(self, hello):
        self.epoch = hello['epoch']
        write_output('hello', hello=hello)

    def on_messages(self, frame):
        if 'after' in frame:
            if self.last is not None and frame['after'] != self.last:
                write_output('gap', expected=self.last, got=frame['after'])
            self.last = frame['through']
        write_output('messages', frame=frame)

    def send(self, event, payload):
        write_output('answer', answer=self.socket.call(event, payload, timeout=10))

    def disconnect(self):
        self.socket.disconnect()


def main():
    session = None
    for line in sys.stdin:
        command = json.loads(line)
        do = command.pop('do')
        if do == 'sign in':
            session = Session(sign_in(command))
            write_output('signed in')
        else:
            getattr(session, do)(**command)


main()
